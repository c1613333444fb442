import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { writeFileAtomically } from "../../files/write-file-atomically.ts";
import { SessionId } from "../../schema/id.ts";
import { SessionWorktree } from "../../schema/workspace/worktree.ts";

/** The identity of a process that creates or removes a worktree. */
export const Maker = z.strictObject({
  pid: z.number(),
  startTime: z.string(),
  bootId: z.string(),
});

/** The removal of a worktree. If the removing process dies, the next prune continues the removal. */
const WorktreeRemoval = z.strictObject({
  by: Maker,
  /** The commit that contains all files. */
  head: z.string(),
  /** The branch is also deleted if its tip is this commit. Empty to keep the branch. */
  branchAt: z.string(),
});

/** A worktree's record. It is written before the worktree is created, and removed after the worktree is removed. */
export const WorktreeRecord = z.strictObject({
  ...SessionWorktree.shape,
  sessionId: SessionId,
  /** The root of the repository, or of the worktree, for which the session was requested. */
  repository: z.string(),
  /** The git directory that all of the repository's worktrees share. */
  commonDir: z.string(),
  /** The branch that was checked out in `repository`. Absent if none was. */
  target: z.string().optional(),
  /** True if Halyard created the branch. */
  ownsBranch: z.boolean(),
  /** The process that creates the worktree. Absent once its session is recorded. */
  maker: Maker.optional(),
  /** Present while a process removes the worktree. */
  removal: WorktreeRemoval.optional(),
  /** Files that were copied into the worktree, with the hashes of their content. */
  copied: z.record(z.string(), z.string()),
  createdAt: z.iso.datetime(),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

/** Returns the directory that contains all worktrees of a home. */
export const worktreesIn = (home: string): string => join(home, "worktrees");

/**
 * Returns the path of a worktree's record, which is next to the worktree and therefore outside the agent's working
 * directory.
 */
export const recordFile = ({ path }: Pick<WorktreeRecord, "path">): string => `${path}.json`;

/** Writes a worktree's record as a whole, so that a crash leaves no incomplete record. */
export async function writeRecord(record: WorktreeRecord): Promise<void> {
  await writeFileAtomically(recordFile(record), JSON.stringify(record));
}

/** Removes a record, the setup command's log, and the record's drafts that killed processes left behind. */
export async function removeWorktreeRecord(record: WorktreeRecord): Promise<void> {
  const file = recordFile(record);
  await rm(`${record.path}.log`, { force: true });
  for (const name of await namesIn(dirname(file)))
    if (isDraftOf(file, name)) await rm(join(dirname(file), name), { force: true });
  await rm(file, { force: true });
}

const isDraftOf = (file: string, name: string): boolean =>
  name.startsWith(`${basename(file)}.`) && name.endsWith(DRAFT);

const DRAFT = ".new";

/** Removes the drafts that processes left when they were killed before they wrote a worktree's first record. */
export async function removeOrphanedDrafts(
  home: string,
  isDead: (maker: ProcessIdentity) => Promise<boolean>,
): Promise<void> {
  for (const draft of await filesIn(home, DRAFT)) {
    const record = await parseRecord(draft);
    if (!record?.maker || (await readRecord(recordFile(record)))) continue;
    if (await isDead(record.maker)) await rm(draft, { force: true });
  }
}

/** Returns the records of all worktrees in a home, newest first. Skips other files. */
export async function readRecords(home: string): Promise<WorktreeRecord[]> {
  const records = await Promise.all((await filesIn(home, ".json")).map(readRecord));
  return records
    .filter((record) => record !== undefined)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** Returns the files next to a home's worktrees whose names end with a suffix. */
async function filesIn(home: string, suffix: string): Promise<string[]> {
  const top = worktreesIn(home);
  const files = (await namesIn(top)).map(async (repository) => {
    const names = await namesIn(join(top, repository));
    return names.filter((name) => name.endsWith(suffix)).map((name) => join(top, repository, name));
  });
  return (await Promise.all(files)).flat();
}

/** Reads a record. Returns undefined if the file is missing or is not the record of the worktree next to it. */
export async function readRecord(file: string): Promise<WorktreeRecord | undefined> {
  const record = await parseRecord(file);
  return record && recordFile(record) === file ? record : undefined;
}

async function parseRecord(file: string): Promise<WorktreeRecord | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return WorktreeRecord.parse(JSON.parse(text));
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
