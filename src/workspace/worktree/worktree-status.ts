import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type GitOptions, gitText } from "../git/git.ts";
import { hashOf } from "./set-up.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** The state of a worktree's files according to git. */
export interface WorktreeStatus {
  readonly head: string;
  /** The branch that is checked out. Undefined if there is none. */
  readonly branch: string | undefined;
  readonly isDirty: boolean;
  /** True if a merge, rebase or similar is in progress. */
  readonly isBusy: boolean;
  /** True if files in the index are missing from the working tree. */
  readonly hasDeletions: boolean;
}

/** Returns the git directories of all of a repository's worktrees, by the worktree's root. */
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

/** Reads a worktree's status with one git command. Ignores copied files that have not changed. */
export async function readStatus(
  { path, copied }: WorktreeRecord,
  git: Pick<GitOptions, "gitDir" | "env" | "drivers">,
): Promise<WorktreeStatus> {
  const { gitDir } = git;
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];
  const lines = (await gitText(args, { ...git, workTree: path })).split("\0");
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
    hasDeletions: changes.some((line) => line.startsWith("1 .D ")),
  };
}

/** Files and directories that exist while an operation is in progress. */
const BUSY = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "BISECT_LOG",
  "rebase-merge",
  "rebase-apply",
];

/** True if a path exists and its status can be read. Follows links. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
