import { z } from "zod";
import { SessionId } from "../id.ts";

/** A branch name, validated as far as possible without git. */
const BranchName = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (name) => !/^[-/.]|[/.]$|\/\/|\.\.|@\{|\/\.|\.lock(?:\/|$)|[\s~^:?*[\\\p{Cc}]/u.test(name),
    "must be the name of a branch, such as fix/login",
  );

/** A request for a separate git worktree for a session. */
export const WorktreeRequest = z.strictObject({
  /**
   * The branch of the worktree. If the branch exists, it is checked out; otherwise it is created.
   * @defaultValue a new branch `halyard/…`
   */
  branch: BranchName.optional(),
  /**
   * The commit that a new branch starts at.
   * @defaultValue the commit that is checked out in `cwd`
   */
  base: z
    .string()
    .min(1)
    .refine((name) => !/^-|[\s\p{Cc}]/u.test(name), "must be a commit, a tag or a branch")
    .optional(),
});
export type WorktreeRequest = z.infer<typeof WorktreeRequest>;

/** The git worktree in which a session works. */
export const SessionWorktree = z.strictObject({
  /** The root of the worktree. */
  path: z.string(),
  /** The branch of the worktree. */
  branch: z.string(),
  /** The commit from which the worktree was created. */
  base: z.string(),
  /** The directory for which the session was requested. */
  origin: z.string(),
  /** The first of ten ports that are reserved for this worktree: `HALYARD_PORT_BASE`. */
  portBase: z.number().int().positive(),
});
export type SessionWorktree = z.infer<typeof SessionWorktree>;

/** The reason why a worktree is kept or can be removed. */
export const WorktreeState = z.enum([
  /** A live session works in it, or a session is being started in it. */
  "live",
  /** It has changes that are not committed, or a merge or rebase is in progress. */
  "dirty",
  /** It has commits that are not in any other branch. */
  "unmerged",
  /** Its branch is merged, possibly by a squash or a rebase. */
  "merged",
  /** It has no uncommitted changes and no new commits. */
  "empty",
  /** Its creation was aborted, or its directory is missing. */
  "broken",
]);
export type WorktreeState = z.infer<typeof WorktreeState>;

/** A git worktree that Halyard created. */
export const WorktreeInfo = z.strictObject({
  ...SessionWorktree.shape,
  /** The session for which the worktree was created. */
  sessionId: SessionId,
  /** The root of the repository to which the worktree belongs. */
  repository: z.string(),
  state: WorktreeState,
  /** The commit that is checked out. Absent if the worktree is broken. */
  head: z.string().optional(),
  /** The number of commits since the worktree was created. */
  commits: z.number().int().nonnegative(),
  createdAt: z.iso.datetime(),
});
export type WorktreeInfo = z.infer<typeof WorktreeInfo>;

/** Selects the worktrees to remove. */
export const PruneRequest = z.strictObject({
  /** True to report what would be removed without removing anything. */
  dryRun: z.boolean().default(false),
  /**
   * True to also remove worktrees that contain work. Uncommitted changes are committed to the branch, which is kept.
   */
  park: z.boolean().default(false),
});
export type PruneRequest = z.input<typeof PruneRequest>;

/** The result of a prune for one worktree. */
export const PrunedWorktree = z.strictObject({
  ...WorktreeInfo.shape,
  /** True if the worktree was removed or, with `dryRun`, would be removed. */
  removed: z.boolean(),
  /** The commit that `park` created from the uncommitted changes. */
  parked: z.string().optional(),
  /** The last commit of the branch, if the branch was deleted. */
  deletedBranch: z.string().optional(),
  /** Why the worktree could not be removed. */
  problem: z.string().optional(),
});
export type PrunedWorktree = z.infer<typeof PrunedWorktree>;

/** Options for adopting the changes of a session's worktree. */
export const AdoptRequest = z.strictObject({
  /** A directory in the repository that receives the changes. */
  cwd: z.string().min(1),
  /** True to merge the branch. Otherwise all changes, committed or not, are applied as a patch. */
  merge: z.boolean().default(false),
});
export type AdoptRequest = z.input<typeof AdoptRequest>;

/** The result of `Halyard.adopt`. */
export const Adopted = z.strictObject({
  /** The session whose changes were adopted. */
  sessionId: SessionId,
  /** The root of the working tree that received the changes. */
  root: z.string(),
  /** The number of files that changed. */
  files: z.number().int().nonnegative(),
  /** The number of added lines. */
  insertions: z.number().int().nonnegative(),
  /** The number of deleted lines. */
  deletions: z.number().int().nonnegative(),
  /** True if a merge is staged and the user has to commit it. */
  isStaged: z.boolean().optional(),
});
export type Adopted = z.infer<typeof Adopted>;

/** The number of ports that are reserved for each worktree, starting at `portBase`. */
export const PORTS_PER_WORKTREE = 10;
