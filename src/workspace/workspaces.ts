import { Lanes } from "../async/lanes.ts";
import type { Workspace, Workspaces } from "../contracts/workspace.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { compare } from "./changes.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { findExcludesFile } from "./excludes-file.ts";
import { GitError } from "./git.ts";
import { openPlace, removePlace } from "./open-place.ts";
import type { Place } from "./place.ts";
import { restoreCheckpoint } from "./restore.ts";
import { removeStaleIndexes, takeSnapshot } from "./snapshot.ts";

/** Options of `createWorkspaces`. */
export interface WorkspacesOptions {
  /** The directory of Halyard. */
  readonly home: string;
  readonly env: Environment;
  /** True to delete all checkpoints on disposal, because no session outlives this process. Defaults to false. */
  readonly isTemporary?: boolean | undefined;
}

/** Records the files of sessions with the `git` program. */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const lanes = new Lanes({ limit: AT_ONCE });
  const opened = new Set<SessionId>();
  let excludesFile: Promise<string | undefined> | undefined;
  const placeOptions = async () => {
    excludesFile ??= findExcludesFile(options.env);
    return { ...options, excludesFile: await excludesFile };
  };
  return {
    open(id, cwd) {
      opened.add(id);
      const inTurn: InTurn = (task) => lanes.run(id, () => explained(cwd, task));
      return inTurn(async () => {
        const place = await openPlace(id, cwd, await placeOptions());
        await removeStaleIndexes(place);
        return workspaceAt(place, inTurn);
      });
    },
    remove: (id) => lanes.run(id, async () => removePlace(id, await placeOptions())),
    async [Symbol.asyncDispose]() {
      if (options.isTemporary) for (const id of opened) await this.remove(id);
    },
  };
}

/** How many sessions are recorded at the same time. The others wait. */
const AT_ONCE = 4;

/** Runs a task after the other tasks of the same session. */
type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

function workspaceAt(place: Place, inTurn: InTurn): Workspace {
  const { root } = place;
  return {
    root,
    checkpoint: (options = {}) =>
      inTurn(async () => {
        const { allSkipped: _, ...checkpoint } = await takeCheckpoint(place, options);
        return checkpoint;
      }),
    changes: (from, to, options = {}) =>
      inTurn(async () => {
        const present = to ?? (await takeSnapshot(place, { after: from, ...options })).tree;
        return compare(place, from, present, options);
      }),
    restore: (commit, options) => inTurn(() => restoreCheckpoint(place, commit, options)),
  };
}

async function explained<T>(root: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof HalyardError) throw error;
    if (error instanceof GitError && error.reason === "cancelled")
      throw new HalyardError("cancelled", error.message, { cause: error });
    const message = `The files of ${root} are not recorded: ${reasonOf(error)}`;
    throw new HalyardError("workspace_failed", message, { cause: error });
  }
}
