import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../../programs/environment.ts";
import { gitText } from "../git.ts";
import { hashOf } from "./set-up.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** What git knows of the files of a worktree. */
export interface WorktreeStatus {
  readonly head: string;
  /** Absent if no branch is checked out. */
  readonly branch: string | undefined;
  readonly isDirty: boolean;
  /** True if a merge, rebase or similar is in progress. */
  readonly isBusy: boolean;
}

/** Returns the git directories of all worktrees of a repository, by their root. */
export async function gitDirectories(commonDir: string): Promise<ReadonlyMap<string, string>> {
  const parent = join(commonDir, "worktrees");
  const names = await readdir(parent).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const gitDir = join(parent, name);
      const file = (await readFile(join(gitDir, "gitdir"), "utf8").catch(() => "")).trim();
      return [dirname(resolve(gitDir, file)), gitDir] as const;
    }),
  );
  return new Map(found);
}

/** Reads the status of a worktree with one git command. Copied files that have not changed do not count. */
export async function readStatus(
  record: WorktreeRecord,
  gitDir: string,
  env: Environment,
): Promise<WorktreeStatus> {
  const { path, copied } = record;
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];
  const lines = (await gitText(args, { gitDir, workTree: path, env })).split("\0");
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3);
  const changes = lines.filter((line) => line !== "" && !line.startsWith("# "));
  const isOurs = async (line: string): Promise<boolean> => {
    const name = line.startsWith("? ") ? line.slice(2) : "";
    const hash = copied[name];
    return hash !== undefined && (await hashOf(join(path, name))) === hash;
  };
  const ours = await Promise.all(changes.map(isOurs));
  const isBusy = (await Promise.all(BUSY.map((name) => exists(join(gitDir, name))))).includes(true);
  const branch = field("branch.head");
  return {
    head: field("branch.oid") ?? "",
    branch: branch === "(detached)" ? undefined : branch,
    isDirty: isBusy || ours.includes(false),
    isBusy,
  };
}

/** Files and directories of operations in progress. */
const BUSY = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "BISECT_LOG",
  "rebase-merge",
  "rebase-apply",
];

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
