import { realpath } from "node:fs/promises";
import { Lanes } from "../../async/lanes.ts";
import type { Health, ProcessIdentity } from "../../contracts/host.ts";
import { isWithin } from "../../files/is-within.ts";
import type { Environment } from "../../programs/environment.ts";
import type { GitSetting } from "../../programs/git-settings.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { WorktreeInfo, WorktreeState } from "../../schema/workspace/worktree.ts";
import { GitError, gitText, sharedDrivers } from "../git/git.ts";
import { isMerged } from "./merged.ts";
import { readRecords, type WorktreeRecord } from "./worktree-record.ts";
import { exists, gitDirectories, readStatus, type WorktreeStatus } from "./worktree-status.ts";

/** Values that determine the state of worktrees. */
export interface WorktreeContext {
  /** The Halyard home. */
  readonly home: string;
  readonly env: Environment;
  /** The identity of this process. */
  readonly maker: ProcessIdentity;
  /** Reports whether a process that creates or removes a worktree is still running. */
  readonly health: (maker: ProcessIdentity) => Promise<Health>;
  /** Runs the commands that change a repository's worktrees one at a time. */
  readonly lanes: Lanes;
}

/** A worktree with all data that a prune needs. */
export interface ExaminedWorktree {
  readonly record: WorktreeRecord;
  readonly info: WorktreeInfo;
  readonly status?: WorktreeStatus;
  readonly gitDir?: string;
  /** The settings that disable its repository's drivers, if all worktrees have the same ones. */
  readonly drivers?: readonly GitSetting[] | undefined;
}

/** Returns the state of all worktrees in a home, newest first. */
export async function examineWorktrees(
  context: WorktreeContext,
  live: readonly Pick<SessionInfo, "cwd">[],
): Promise<ExaminedWorktree[]> {
  const records = await readRecords(context.home);
  const directories = await realDirectories(live);
  const repositories = new Map<string, Promise<RepositoryState>>();
  const repositoryOf = ({ commonDir }: WorktreeRecord) => {
    const known = repositories.get(commonDir) ?? readRepository(commonDir, context.env);
    repositories.set(commonDir, known);
    return known;
  };
  const lanes = new Lanes({ limit: PROCESSES });
  const examineOne = async (record: WorktreeRecord) => {
    const isLive = directories.some((cwd) => isWithin(cwd, record.path));
    return examine(record, await repositoryOf(record), { ...context, isLive });
  };
  return Promise.all(records.map((record) => lanes.run(record.path, () => examineOne(record))));
}

const PROCESSES = 8;

/** Returns sessions' working directories. Links are resolved if the directory exists. */
function realDirectories(live: readonly Pick<SessionInfo, "cwd">[]): Promise<string[]> {
  return Promise.all(live.map(({ cwd }) => realpath(cwd).catch(() => cwd)));
}

interface RepositoryState {
  readonly gitDirs: ReadonlyMap<string, string>;
  /** The commits of all branches, by ref name. */
  readonly refs: ReadonlyMap<string, string>;
  readonly drivers?: readonly GitSetting[] | undefined;
  /** Returns the head commits of the branches that are merged into a commit. */
  branchesIn(target: string): Promise<ReadonlySet<string>>;
}

/** Reads the data that all of a repository's worktrees share, with few processes. */
async function readRepository(commonDir: string, env: Environment): Promise<RepositoryState> {
  const git = { gitDir: commonDir, env, isPrivate: true } as const;
  if (!(await exists(commonDir)))
    return { gitDirs: new Map(), refs: new Map(), branchesIn: async () => new Set() };
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes"];
  const [gitDirs, text, drivers] = await Promise.all([
    gitDirectories(commonDir),
    gitText(args, git),
    sharedDrivers(git),
  ]);
  const refs = text.split("\n").map((line) => {
    const at = line.indexOf(" ");
    return [line.slice(at + 1), line.slice(0, at)] as const;
  });
  const merged = new Map<string, Promise<ReadonlySet<string>>>();
  const branchesIn = (target: string) => {
    const list = ["for-each-ref", "--format=%(objectname)", `--merged=${target}`, "refs/heads"];
    const known =
      merged.get(target) ?? gitText(list, git).then((names) => new Set(names.split("\n")));
    merged.set(target, known);
    return known;
  };
  return { gitDirs, refs: new Map(refs), drivers, branchesIn };
}

async function examine(
  record: WorktreeRecord,
  { gitDirs, refs, drivers, branchesIn }: RepositoryState,
  { env, health, isLive }: WorktreeContext & { readonly isLive: boolean },
): Promise<ExaminedWorktree> {
  const found = (state: WorktreeState, head?: string, commits = 0): ExaminedWorktree => {
    const {
      commonDir: _,
      target: __,
      ownsBranch: ___,
      maker: ____,
      copied: _____,
      removal: ______,
      ...shown
    } = record;
    const info = { ...shown, state, commits, ...(head !== undefined && { head }) };
    return { record, info, drivers };
  };
  if (isLive) return found("live");
  if (record.maker) return found((await health(record.maker)) === "dead" ? "broken" : "live");
  if (!(await exists(record.path))) return found("broken");
  const gitDir = gitDirs.get(record.path);
  if (gitDir === undefined) return found("dirty"); // git no longer knows the worktree, so its changes are unknown
  const status = await readStatus(record, { gitDir, env, drivers }).catch((error: unknown) => {
    if (error instanceof GitError) return undefined;
    throw error;
  });
  if (!status) return found("dirty"); // git cannot read the worktree
  if (isHalfRemoved({ record, status })) return { ...found("broken", status.head), status, gitDir };
  const { head, isDirty } = status;
  const git = { gitDir: record.commonDir, env, isPrivate: true } as const;
  const count = ["rev-list", "--count", `${record.base}..${head}`];
  const commits = head === record.base ? 0 : Number(await gitText(count, git));
  const state = async (): Promise<WorktreeState> => {
    if (isDirty) return "dirty";
    if (commits === 0) return "empty";
    for (const target of targetsOf(record, refs))
      if ((await branchesIn(target)).has(head) || (await isMerged(head, target, git)))
        return "merged";
    return "unmerged";
  };
  return { ...found(await state(), head, commits), status, gitDir };
}

/** True if a prune was killed while it deleted the files. All of these files are in the recorded commit. */
export function isHalfRemoved({
  record,
  status,
}: Pick<ExaminedWorktree, "record" | "status">): boolean {
  return status?.hasDeletions === true && record.removal?.head === status.head;
}

/** Returns the commits of the branches into which a worktree's branch may be merged. */
function targetsOf(
  { target, branch }: WorktreeRecord,
  refs: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const names = new Set([target, "main", "master"]);
  const isTarget = (ref: string) => {
    const [, name] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    return names.has(name) && name !== branch;
  };
  return new Set([...refs].filter(([ref]) => isTarget(ref)).map(([, commit]) => commit));
}
