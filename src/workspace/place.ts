import type { CheckpointRefs } from "./checkpoint-refs.ts";
import type { GitOptions } from "./git.ts";

/** Limits of a checkpoint. */
export interface CheckpointLimits {
  /** Larger files are skipped. */
  readonly fileBytes: number;
  /** The size of all new and changed files of one checkpoint. */
  readonly totalBytes: number;
  /** The number of new and changed files of one checkpoint. */
  readonly files: number;
  /** The time for the search of changed files, in milliseconds. */
  readonly scanMs: number;
  /** What happens if `totalBytes` or `files` is exceeded: the checkpoint fails, or the other files are skipped. */
  readonly onExceeded: "fail" | "skip";
}

/** Where the files and the checkpoints of a workspace are. */
export interface Place {
  /** The directory that is recorded. Contains no links. */
  readonly root: string;
  /** A directory that only Halyard writes: the private git directory `git`, and the file `index`. */
  readonly directory: string;
  /** Options for git with the private git directory, whose configuration no agent can change. */
  readonly git: GitOptions;
  readonly refs: CheckpointRefs;
  /** The git directory of the user's repository, whose index lists tracked files. Undefined outside a repository. */
  readonly userGitDir: string | undefined;
  readonly limits: CheckpointLimits;
  /** What this process knows from earlier calls. Saves processes, and may be empty at any time. */
  readonly known: KnownState;
}

/** Results of earlier calls of this process. */
export interface KnownState {
  /** The last checkpoint. */
  checkpoint?: { readonly commit: string; readonly tree: string; readonly message: string };
  /** The inode, size and time of the index in the directory of the workspace, and its tree. */
  index?: string | undefined;
  indexTree?: string;
  /** The size and time of the user's index when its ignored files were listed. */
  userIndex?: string;
}
