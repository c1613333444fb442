import type { SessionId } from "../schema/id.ts";
import type { Changes, Checkpoint, Rewound } from "../schema/workspace/checkpoint.ts";

/** Records and restores the files of sessions. Disposed with the machine. */
export interface Workspaces extends AsyncDisposable {
  /**
   * Opens the workspace of a session: the repository that contains `cwd`, otherwise `cwd` itself. Rejects with
   * `workspace_failed` if its files cannot be recorded.
   */
  open(id: SessionId, cwd: string): Promise<Workspace>;
  /** Deletes the checkpoints of a session. Has no effect if there are none. */
  remove(id: SessionId): Promise<void>;
}

/** The files of one session. Calls run one after the other. */
export interface Workspace {
  /** The directory that is recorded. */
  readonly root: string;
  /** Records all files. Returns the commit of `after` if nothing has changed since. */
  checkpoint(options?: CheckpointOptions): Promise<Checkpoint>;
  /** Compares two checkpoints, or a checkpoint with the present files if `to` is omitted. */
  changes(from: string, to: string | undefined, options?: WorkspaceOptions): Promise<Changes>;
  /**
   * Makes the files those of a checkpoint. `onBefore` is called with the checkpoint of the present files, before the
   * first file changes.
   */
  restore(commit: string, options: RestoreOptions): Promise<Rewound>;
}

/** Options of a workspace call. */
export interface WorkspaceOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of `Workspace.checkpoint`. */
export interface CheckpointOptions extends WorkspaceOptions {
  /** The commit of the checkpoint before. Defaults to none: the checkpoint is the first. */
  readonly after?: string | undefined;
}

/** Options of `Workspace.restore`. */
export interface RestoreOptions extends CheckpointOptions {
  readonly onBefore: (checkpoint: Checkpoint) => Promise<void>;
}
