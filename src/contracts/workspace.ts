import type { SessionId } from "../schema/id.ts";
import type { Changes, Checkpoint, Rewound } from "../schema/workspace/checkpoint.ts";
import type { Heads } from "../schema/workspace/saved-session.ts";

/** Records and restores the files of sessions. Disposed with the Halyard instance. */
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
  /** Records all files except ignored and skipped ones. If nothing has changed since `after`, returns that commit again. */
  checkpoint(options?: CheckpointOptions): Promise<Checkpoint>;
  /** Compares two checkpoints, or a checkpoint with the current files if `to` is omitted. */
  changes(from: string, to: string | undefined, options?: WorkspaceOptions): Promise<Changes>;
  /**
   * Combines the changes of several checkpoint ranges. Excludes changes made between the ranges. If the same lines were
   * changed inside and between ranges, the version at the end of the range is used.
   */
  combinedChanges(ranges: readonly FileRange[], options?: WorkspaceOptions): Promise<Changes>;
  /**
   * Restores the files to their state at a checkpoint. `onBefore` is called with the checkpoint of the current files,
   * before the first file changes.
   */
  restore(commit: string, options: RestoreOptions): Promise<Rewound>;
  /** True if the files are in a git repository. */
  readonly isRepository: boolean;
  /** Returns a complete patch between two checkpoints, including binary files. Rejects if it is larger than 64 MiB. */
  patch(from: string, to: string | undefined, options?: WorkspaceOptions): Promise<Buffer>;
  /** Returns a git pack with checkpoints and branches, or undefined if it would be larger than `maxBytes`. */
  pack(contents: PackContents, options: PackOptions): Promise<Buffer | undefined>;
  /** Adds the objects of a pack. */
  addPack(pack: Buffer): Promise<void>;
  /** Returns the branches of the repository. Returns undefined if there is no repository or no commit. */
  heads(): Promise<Heads | undefined>;
  /** Sets the branches and the index of the repository. Changes no file. */
  setHeads(heads: Heads): Promise<void>;
}

/** The contents of a pack. */
export interface PackContents {
  /** Commits, with all their files and ancestors. */
  readonly commits: readonly string[];
  /** Commits whose files the receiver already has. Defaults to none. */
  readonly known?: readonly string[];
  /** Commits that the receiver already has, including their ancestors. Defaults to none. */
  readonly history?: readonly string[];
}

/** Options of `Workspace.pack`. */
export interface PackOptions extends WorkspaceOptions {
  readonly maxBytes: number;
}

/** Two states of the files. `to` is undefined for the current files. */
export interface FileRange {
  readonly from: string;
  readonly to: string | undefined;
}

/** Options that all methods of a workspace accept. */
export interface WorkspaceOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of `Workspace.checkpoint`. */
export interface CheckpointOptions extends WorkspaceOptions {
  /** The commit of the previous checkpoint. Omit it for the first checkpoint. */
  readonly after?: string | undefined;
}

/** Options of `Workspace.restore`. */
export interface RestoreOptions extends CheckpointOptions {
  readonly onBefore: (checkpoint: Checkpoint) => Promise<void>;
}
