import { realpath } from "node:fs/promises";
import { Lanes } from "../../async/lanes.ts";
import type { Worktrees } from "../../contracts/worktrees.ts";
import type { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";
import { adoptChanges, mergeBranch } from "./adopt.ts";
import { examineWorktrees, type WorktreeContext } from "./list-worktrees.ts";
import { type MakeOptions, makeWorktree } from "./make-worktree.ts";
import { pruneTrees, removeUnfinished } from "./prune-worktrees.ts";
import { isListingError } from "./worktree-command.ts";

/** Options for `createWorktrees`. */
export interface WorktreesOptions extends Omit<WorktreeContext, "lanes">, Pick<MakeOptions, "now"> {
  /** Returns the trusted worktree settings for the repository that contains a directory. */
  readonly settingsFor: (cwd: string) => Promise<WorktreeSettings>;
}

/** Creates the component that manages the worktrees of a Halyard home. */
export function createWorktrees(options: WorktreesOptions): Worktrees {
  const lanes = new Lanes();
  /** Resolves links in the home, because git records paths without links. */
  const withRealHome = async () => ({ ...options, lanes, home: await realpath(options.home) });
  return {
    async make(id, request, { cwd }) {
      const settings = await options.settingsFor(cwd);
      const context = await withRealHome();
      const make = () => makeWorktree(id, request, { ...context, cwd, settings });
      try {
        return await make();
      } catch (error) {
        if (!(error instanceof Error && isListingError(error.cause))) throw error;
        await removeUnfinished(context); // git refuses to create a worktree while an incomplete one exists
        return make();
      }
    },
    async list(live) {
      return (await examineWorktrees(await withRealHome(), live)).map(({ info }) => info);
    },
    async adopt(session, { merge, cwd }) {
      const adopting = { ...(await withRealHome()), cwd };
      return merge ? mergeBranch(session, adopting) : adoptChanges(session, adopting);
    },
    prune: async (live, request) => pruneTrees(await withRealHome(), live, request),
  };
}
