import { Lanes } from "../async/lanes.ts";
import type { Workspace, Workspaces } from "../contracts/workspace.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";
import { compare } from "./changes.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { findExcludesFile } from "./excludes-file.ts";
import { GitError } from "./git.ts";
import { openPlace, removePlace } from "./open-place.ts";
import type { Place } from "./place.ts";
import { restoreCheckpoint } from "./restore.ts";
import { removeStaleIndexes, takeSnapshot } from "./snapshot.ts";

/** Records the files of sessions with the `git` program. `home` is the directory of Halyard. */
export function createWorkspaces(options: {
  readonly home: string;
  readonly env: Environment;
}): Workspaces {
  let excludesFile: Promise<string | undefined> | undefined;
  const placeOptions = async () => {
    excludesFile ??= findExcludesFile(options.env);
    return { ...options, excludesFile: await excludesFile };
  };
  return {
    open: (id, cwd) =>
      explained(cwd, async () => {
        const place = await openPlace(id, cwd, await placeOptions());
        await removeStaleIndexes(place);
        return workspaceAt(place);
      }),
    remove: async (id) => removePlace(id, await placeOptions()),
  };
}

function workspaceAt(place: Place): Workspace {
  const lanes = new Lanes();
  const { root } = place;
  const inTurn = <T>(task: () => Promise<T>) => lanes.run("", () => explained(root, task));
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
