import type { Environment } from "../../programs/environment.ts";
import { gitText, runGit } from "../git/git.ts";

/** A repository's git directory. The commands in this file read no files of the working tree, so filters cannot run. */
interface Git {
  readonly gitDir: string;
  readonly env: Environment;
  readonly isPrivate: true;
}

/**
 * True if the target contains a commit's changes, by a merge, a rebase or a squash, even if the target has changed the
 * same files since.
 */
export async function isMerged(commit: string, target: string, git: Git): Promise<boolean> {
  const base = await gitText(["merge-base", target, commit], { ...git, exitCodes: [0, 1] });
  if (base === commit) return true;
  if (base === "") return false;
  return (
    (await hasSameContent(base, commit, target, git)) ||
    (await hasSameCommits(commit, target, git)) ||
    (await hasSquash(base, commit, target, git))
  );
}

/**
 * True if the files that the commits changed since `base` are the same in the target and in the commit. Returns false
 * for more than 500 files.
 */
async function hasSameContent(base: string, commit: string, target: string, git: Git) {
  const names = await gitText(["diff", "--name-only", "--no-renames", "-z", base, commit], git);
  const files = names.split("\0").filter((name) => name !== "");
  if (files.length > MOST_FILES) return false;
  if (files.length === 0) return true;
  const args = ["diff", "--quiet", "--no-renames", target, commit, "--", ...files];
  return (await runGit(args, { ...git, exitCodes: [0, 1] })).exitCode === 0;
}

/** True if the target contains an equivalent of each commit, as after a rebase. */
async function hasSameCommits(commit: string, target: string, git: Git): Promise<boolean> {
  const missing = await gitText(["cherry", target, commit], git);
  return missing.split("\n").every((line) => line.startsWith("-"));
}

/** True if one of the target's newest 500 commits makes the same change as all commits since `base` together. */
async function hasSquash(base: string, commit: string, target: string, git: Git): Promise<boolean> {
  const change = await runGit(["diff", "--no-color", "--full-index", base, commit], git);
  const [id] = (await patchIds(change.stdout, git)).keys();
  if (id === undefined) return true;
  const args = ["log", "-p", "--no-color", "--full-index", "--no-merges", `-n${MOST_COMMITS}`];
  const log = await runGit([...args, `${base}..${target}`], { ...git, onOverflow: "truncate" });
  return (await patchIds(log.stdout, git)).has(id);
}

async function patchIds(input: Buffer, git: Git): Promise<Set<string>> {
  const text = await gitText(["patch-id", "--stable"], { ...git, input });
  return new Set(text.split("\n").flatMap((line) => (line === "" ? [] : [line.slice(0, 40)])));
}

const MOST_FILES = 500;
const MOST_COMMITS = 500;
