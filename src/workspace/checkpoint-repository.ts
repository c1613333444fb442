import type { BytePath } from "./byte-path.ts";
import type { CheckpointRefs } from "./checkpoint-refs.ts";
import type { GitOptions } from "./git/git.ts";
import type { Directories } from "./tree/changed-tree.ts";
import type { ObjectPaths } from "./tree/objects.ts";

/** The limits for a checkpoint. */
export interface CheckpointLimits {
  /** The maximum size of a file in bytes. Larger files are skipped. */
  readonly fileBytes: number;
  /** The maximum total size of the new and changed files in one checkpoint, in bytes. */
  readonly totalBytes: number;
  /** The maximum number of new and changed files in one checkpoint. */
  readonly files: number;
  /** The time limit for the search for changed files, in milliseconds. */
  readonly scanMs: number;
  /** The effect of exceeding `totalBytes` or `files`: the checkpoint fails, or the other files are skipped. */
  readonly onExceeded: "fail" | "skip";
}

/**
 * A session's recorded directory and the location of its checkpoints. There are two cases. Inside a repository that
 * this user owns and can write to, the checkpoints' objects and refs are in the user's repository, and only git's
 * settings and Halyard's index are private. Outside such a repository, everything is in a private git directory.
 */
export interface CheckpointRepository {
  /** The directory that is recorded. Contains no links. */
  readonly root: string;
  /**
   * The session's private directory, to which only Halyard writes. Contains the private git directory `git` and
   * Halyard's private index `index`.
   */
  readonly directory: string;
  /** Options that run git with the private git directory, whose configuration no agent can change. */
  readonly git: GitOptions;
  /** Where the checkpoints' objects are: in the user's repository, or in the private git directory. */
  readonly objects: ObjectPaths;
  readonly now: () => Date;
  /**
   * The refs in the user's repository. Undefined if the private git directory contains the objects, because `git gc`
   * never runs in it.
   */
  readonly refs: CheckpointRefs | undefined;
  /** The git directory of the user's repository, whose index lists tracked files. Undefined outside a repository. */
  readonly userGitDir: string | undefined;
  readonly limits: CheckpointLimits;
  /** A cache of earlier results that avoids git processes. It may be empty at any time. */
  readonly known: KnownState;
}

/** Results of earlier calls in this process, which are only a cache. */
export interface KnownState {
  /** The last checkpoint. */
  checkpoint?: { readonly commit: string; readonly tree: string; readonly message: string };
  /** The inode, size and time of Halyard's private index, which `directory` contains. Not the user's index. */
  index?: string | undefined;
  /** The tree of the files in Halyard's private index. */
  indexTree?: string;
  /** The directories that were already read, and the tree that contains them. */
  directories?: { readonly tree: string; readonly entries: Directories } | undefined;
  /**
   * Files in the last checkpoint that Halyard's private index does not contain. They stay recorded if they are ignored
   * later.
   */
  unindexed?: readonly BytePath[] | undefined;
  /**
   * The inode, size and time of the index in the user's repository when the ignored files that it tracks were last
   * listed.
   */
  userIndex?: string;
}
