import { realpath } from "node:fs/promises";
import { Lanes } from "../../async/lanes.ts";
import type { Health, ProcessIdentity } from "../../contracts/host.ts";
import { isWithin } from "../../permissions/path-policy.ts";
import type { Environment } from "../../programs/environment.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { WorktreeInfo, WorktreeState } from "../../schema/workspace/worktree.ts";
import { GitError, gitText } from "../git.ts";
import { isMerged } from "./merged.ts";
import { readRecords, type WorktreeRecord } from "./worktree-record.ts";
import { exists, gitDirectories, readStatus, type WorktreeStatus } from "./worktree-status.ts";

/** What the state of worktrees depends on. */
export interface WorktreeContext {
  /** The Halyard home. */
  readonly home: string;
  readonly env: Environment;
  /** Reports whether a process that creates a worktree still runs. */
  readonly health: (maker: ProcessIdentity) => Promise<Health>;
}

/** A worktree with everything that a prune needs to know. */
export interface ExaminedWorktree {
  readonly record: WorktreeRecord;
  readonly info: WorktreeInfo;
  readonly status?: WorktreeStatus;
  readonly gitDir?: string;
}

/** Returns the state of all worktrees of a home, newest first. */
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

/** The working directories of sessions, without links as far as they exist. */
function realDirectories(live: readonly Pick<SessionInfo, "cwd">[]): Promise<string[]> {
  return Promise.all(live.map(({ cwd }) => realpath(cwd).catch(() => cwd)));
}

interface RepositoryState {
  readonly gitDirs: ReadonlyMap<string, string>;
  /** The commits of all branches, by the name of the reference. */
  readonly refs: ReadonlyMap<string, string>;
}

async function readRepository(commonDir: string, env: Environment): Promise<RepositoryState> {
  if (!(await exists(commonDir))) return { gitDirs: new Map(), refs: new Map() };
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes"];
  const [gitDirs, text] = await Promise.all([
    gitDirectories(commonDir),
    gitText(args, { gitDir: commonDir, env, isPrivate: true }),
  ]);
  const refs = text.split("\n").map((line) => {
    const at = line.indexOf(" ");
    return [line.slice(at + 1), line.slice(0, at)] as const;
  });
  return { gitDirs, refs: new Map(refs) };
}

async function examine(
  record: WorktreeRecord,
  { gitDirs, refs }: RepositoryState,
  { env, health, isLive }: WorktreeContext & { readonly isLive: boolean },
): Promise<ExaminedWorktree> {
  const found = (state: WorktreeState, head?: string, commits = 0): ExaminedWorktree => {
    const {
      commonDir: _,
      target: __,
      ownsBranch: ___,
      maker: ____,
      copied: _____,
      ...shown
    } = record;
    return { record, info: { ...shown, state, commits, ...(head !== undefined && { head }) } };
  };
  if (isLive) return found("live");
  if (record.maker) return found((await health(record.maker)) === "dead" ? "broken" : "live");
  if (!(await exists(record.path))) return found("broken");
  const gitDir = gitDirs.get(record.path);
  if (gitDir === undefined) return found("dirty"); // git no longer knows it, so its changes are unknown
  const status = await readStatus(record, gitDir, env).catch((error: unknown) => {
    if (error instanceof GitError) return undefined;
    throw error;
  });
  if (!status) return found("dirty"); // git cannot read it
  const { head, isDirty } = status;
  const git = { gitDir: record.commonDir, env, isPrivate: true } as const;
  const count = ["rev-list", "--count", `${record.base}..${head}`];
  const commits = head === record.base ? 0 : Number(await gitText(count, git));
  const state = async (): Promise<WorktreeState> => {
    if (isDirty) return "dirty";
    if (commits === 0) return "empty";
    for (const target of targetsOf(record, refs))
      if (await isMerged(head, target, git)) return "merged";
    return "unmerged";
  };
  return { ...found(await state(), head, commits), status, gitDir };
}

/** Returns the commits of the branches that a worktree's branch may be merged into. */
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
