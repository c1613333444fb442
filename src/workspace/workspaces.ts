import { stat } from "node:fs/promises";
import { Lanes } from "../async/lanes.ts";
import type { Workspace, Workspaces } from "../contracts/workspace.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import type { Environment } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { compare } from "./changes.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import type { CheckpointRepository } from "./checkpoint-repository.ts";
import { combineChanges } from "./combined-changes.ts";
import { findExcludesFile } from "./git/excludes-file.ts";
import { GitError } from "./git/git.ts";
import {
  missingDirectory,
  openCheckpointRepository,
  removeCheckpointRepository,
} from "./open-checkpoint-repository.ts";
import { removeStaleIndexCopies } from "./private-index.ts";
import { takeSnapshot } from "./snapshot.ts";
import { readHeads, writeHeads } from "./transfer/heads.ts";
import { addPack, completePatch, packObjects } from "./transfer/packs.ts";

/** Options for `createWorkspaces`. */
export interface WorkspacesOptions {
  /** Halyard's home directory. */
  readonly home: string;
  readonly env: Environment;
  readonly now: () => Date;
  /** True if no session outlives this process: disposal deletes the checkpoints of all opened workspaces. Defaults to false. */
  readonly isTemporary?: boolean | undefined;
}

/** Creates the workspaces, which record sessions' files with the `git` program. */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const lanes = new Lanes({ limit: AT_ONCE });
  const opened = new Set<SessionId>();
  let excludesFile: Promise<string | undefined> | undefined;
  const repositoryOptions = async () => {
    excludesFile ??= findExcludesFile(options.env);
    return { ...options, excludesFile: await excludesFile };
  };
  return {
    open(id, cwd) {
      opened.add(id);
      const inTurn: InTurn = (task) => lanes.run(id, () => explained(cwd, task));
      return inTurn(async () => {
        const reopen = async () => openCheckpointRepository(id, cwd, await repositoryOptions());
        const repository = await reopen();
        await removeStaleIndexCopies(repository);
        return workspaceAt(repository, reopen, inTurn);
      });
    },
    remove: (id) =>
      lanes.run(id, async () => removeCheckpointRepository(id, await repositoryOptions())),
    async [Symbol.asyncDispose]() {
      if (options.isTemporary) for (const id of opened) await this.remove(id);
    },
  };
}

/** The maximum number of sessions that are recorded at the same time. The others wait. */
const AT_ONCE = 4;

/** Runs a task after the same session's other tasks. */
type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

function workspaceAt(
  opened: CheckpointRepository,
  reopen: () => Promise<CheckpointRepository>,
  inTurn: InTurn,
): Workspace {
  let latest = opened;
  /** Runs a task. Reopens the repository if an agent has deleted it with its checkpoints. */
  const withRepository = <T>(task: (repository: CheckpointRepository) => Promise<T>) =>
    inTurn(async () => {
      if (!(await isDirectory(latest.objects.objects))) latest = await reopen();
      return task(latest);
    });
  return {
    root: opened.root,
    checkpoint: (options = {}) =>
      withRepository(async (repository) => {
        const { allSkipped: _, ...checkpoint } = await takeCheckpoint(repository, options);
        return checkpoint;
      }),
    changes: (from, to, options = {}) =>
      withRepository(async (repository) => {
        const present = to ?? (await takeSnapshot(repository, { after: from, ...options }));
        return compare(repository, from, present, options);
      }),
    combinedChanges: (ranges, options = {}) =>
      withRepository((repository) => combineChanges(repository, ranges, options)),
    restore: (commit, options) =>
      withRepository(async (repository) => {
        // loaded on demand, because most sessions are never rewound
        const { restoreCheckpoint } = await import("./restore.ts");
        return restoreCheckpoint(repository, commit, options);
      }),
    isRepository: opened.userGitDir !== undefined,
    patch: (from, to, options = {}) =>
      withRepository(async (repository) => {
        const present = to ?? (await takeSnapshot(repository, { after: from, ...options }));
        const limit = { ...options, maxBytes: PATCH_BYTES };
        return completePatch(repository, from, present, limit);
      }),
    pack: (contents, options) => withRepository(({ git }) => packObjects(git, contents, options)),
    addPack: (pack) => withRepository(({ git }) => addPack(git, pack)),
    heads: () => withRepository(readHeads),
    setHeads: (heads) => withRepository((repository) => writeHeads(repository, heads)),
  };
}

const PATCH_BYTES = 64 * 1024 * 1024;

async function explained<T>(root: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof HalyardError) throw error;
    if (error instanceof GitError && error.reason === "cancelled")
      throw new HalyardError("cancelled", error.message, { cause: error });
    const message = (await isDirectory(root))
      ? `The checkpoints of ${root} cannot be read or written: ${sentence(reasonOf(error))} Correct the problem, and try again.`
      : missingDirectory(root);
    throw new HalyardError("workspace_failed", message, { cause: error });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
