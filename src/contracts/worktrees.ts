import type { z } from "zod";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type {
  Adopted,
  AdoptRequest,
  PrunedWorktree,
  PruneRequest,
  SessionWorktree,
  WorktreeInfo,
  WorktreeRequest,
} from "../schema/workspace/worktree.ts";

/** Creates, lists and removes the git worktrees of sessions. */
export interface Worktrees {
  /** Creates a worktree for a session that is not recorded yet. */
  make(
    id: SessionId,
    request: WorktreeRequest,
    options: { readonly cwd: string },
  ): Promise<MadeWorktree>;
  /** Lists all worktrees. A worktree that contains the directory of a session in `live` gets the state `live`. */
  list(live: readonly SessionInfo[]): Promise<WorktreeInfo[]>;
  /**
   * Removes the worktrees that contain no unmerged work and, with `park`, the others too. Keeps the worktrees of the
   * sessions that `live` returns.
   */
  prune(
    live: () => Promise<readonly SessionInfo[]>,
    request?: PruneRequest,
  ): Promise<PrunedWorktree[]>;
  /** Applies the changes of a session's worktree to the user's working tree, or merges its branch. */
  adopt(session: AdoptedSession, request: z.output<typeof AdoptRequest>): Promise<Adopted>;
}

/** A session whose changes are adopted. */
export interface AdoptedSession {
  readonly id: SessionId;
  readonly worktree: SessionWorktree;
}

/** A new worktree. The next prune removes it unless `keep` is called. */
export interface MadeWorktree {
  readonly worktree: SessionWorktree;
  /** The working directory of the session: the directory in the worktree that corresponds to the requested one. */
  readonly cwd: string;
  /** Marks the worktree as used. Call it when the session is recorded. */
  keep(): Promise<void>;
  /** Removes the worktree and its branch. */
  discard(): Promise<void>;
}
