import { realpath } from "node:fs/promises";
import type { Worktrees } from "../../contracts/worktrees.ts";
import type { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";
import { adoptChanges, mergeBranch } from "./adopt.ts";
import { examineWorktrees, type WorktreeContext } from "./list-worktrees.ts";
import { type MakeOptions, makeWorktree } from "./make-worktree.ts";
import { pruneTrees } from "./prune-worktrees.ts";

/** Options of `createWorktrees`. */
export interface WorktreesOptions extends WorktreeContext, Pick<MakeOptions, "maker" | "now"> {
  /** Returns the trusted settings for worktrees of the repository that contains a directory. */
  readonly settingsFor: (cwd: string) => Promise<WorktreeSettings>;
}

/** Creates the worktrees of a Halyard home. */
export function createWorktrees(options: WorktreesOptions): Worktrees {
  /** Git records paths without links. */
  const withRealHome = async () => ({ ...options, home: await realpath(options.home) });
  return {
    async make(id, request, { cwd }) {
      const settings = await options.settingsFor(cwd);
      return makeWorktree(id, request, { ...(await withRealHome()), cwd, settings });
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
