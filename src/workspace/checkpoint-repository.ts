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

/** A session's recorded directory, and the private git directory that contains its checkpoints. */
export interface CheckpointRepository {
  /** The directory that is recorded. Contains no links. */
  readonly root: string;
  /** A directory to which only Halyard writes: the private git directory `git`, and the file `index`. */
  readonly directory: string;
  /** Options for git with the private git directory, whose configuration no agent can change. */
  readonly git: GitOptions;
  /** The paths of the checkpoints' objects. */
  readonly objects: ObjectPaths;
  readonly now: () => Date;
  /** Undefined for a private git directory, in which no `git gc` runs. */
  readonly refs: CheckpointRefs | undefined;
  /** The git directory of the user's repository, whose index lists tracked files. Undefined outside a repository. */
  readonly userGitDir: string | undefined;
  readonly limits: CheckpointLimits;
  /** Results of earlier calls in this process. A cache that avoids git processes. It may be empty at any time. */
  readonly known: KnownState;
}

/** Results of earlier calls in this process. */
export interface KnownState {
  /** The last checkpoint. */
  checkpoint?: { readonly commit: string; readonly tree: string; readonly message: string };
  /** The inode, size and time of the index in the workspace's directory, and its tree. */
  index?: string | undefined;
  indexTree?: string;
  /** The directories that were already read, and their tree. */
  directories?: { readonly tree: string; readonly entries: Directories } | undefined;
  /** Files in the last checkpoint that the index does not contain. They stay recorded if they are ignored later. */
  unindexed?: readonly BytePath[] | undefined;
  /** The inode, size and time of the user's index when its ignored files were listed. */
  userIndex?: string;
}
