import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../files/write-file-atomically.ts";
import { SessionId } from "../../schema/id.ts";
import { SessionWorktree } from "../../schema/workspace/worktree.ts";

/** The identity of the process that creates a worktree. */
export const Maker = z.strictObject({
  pid: z.number(),
  startTime: z.string(),
  bootId: z.string(),
});

/** What Halyard knows of a worktree. It is written before the worktree and removed after it. */
export const WorktreeRecord = z.strictObject({
  ...SessionWorktree.shape,
  sessionId: SessionId,
  /** The root of the repository, or of the worktree, for which the session was requested. */
  repository: z.string(),
  /** The git directory that all worktrees of the repository share. */
  commonDir: z.string(),
  /** The branch that was checked out there. Absent if none was. */
  target: z.string().optional(),
  /** True if Halyard created the branch. */
  ownsBranch: z.boolean(),
  /** The process that creates the worktree. Absent once its session is on record. */
  maker: Maker.optional(),
  /** Files that were copied into it, with the hash of their content. */
  copied: z.record(z.string(), z.string()),
  createdAt: z.iso.datetime(),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

/** Returns the directory of all worktrees of a home. */
export const worktreesIn = (home: string): string => join(home, "worktrees");

/** Returns the file of a worktree's record, next to the worktree, where its agent does not work. */
export const recordFile = ({ path }: Pick<WorktreeRecord, "path">): string => `${path}.json`;

export async function writeRecord(record: WorktreeRecord): Promise<void> {
  await writeFileAtomically(recordFile(record), JSON.stringify(record));
}

export async function removeWorktreeRecord(record: WorktreeRecord): Promise<void> {
  await rm(`${record.path}.log`, { force: true });
  await rm(recordFile(record), { force: true });
}

/** Reads the records of all worktrees of a home. Skips files that are none. */
export async function readRecords(home: string): Promise<WorktreeRecord[]> {
  const top = worktreesIn(home);
  const repositories = await namesIn(top);
  const files = await Promise.all(
    repositories.map(async (repository) => {
      const names = await namesIn(join(top, repository));
      return names
        .filter((name) => name.endsWith(".json"))
        .map((name) => join(top, repository, name));
    }),
  );
  const records = await Promise.all(files.flat().map(readRecord));
  return records
    .filter((record) => record !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Reads a record. Returns undefined if the file is missing or is no record of the worktree next to it. */
export async function readRecord(file: string): Promise<WorktreeRecord | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const record = WorktreeRecord.parse(JSON.parse(text));
    return recordFile(record) === file ? record : undefined;
  } catch {
    return undefined;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code)))
      return [];
    throw error;
  }
}
