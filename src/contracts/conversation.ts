import type { Host } from "./host.ts";

/** Where a runtime stores its own record of a conversation. */
export interface ConversationPaths {
  readonly cwd: string;
  readonly host: Host;
  readonly runDir: string;
  readonly stateDir: string;
  /** The directory with the runtime's sign-in data, if it is not the user's default. */
  readonly accountDir?: string | undefined;
  readonly runtimeSessionId: string;
}

/** A file of a conversation record. */
export interface RecordFile {
  /** The path, in the form that the same adapter's `write` expects. */
  readonly path: string;
  readonly content: Buffer;
}

/** Copies the runtime's own record of a conversation, so that another machine can continue it. */
export interface ConversationCopy {
  /**
   * Returns the files of the record, or an empty list if there is no record. The runtime may be running, but has no
   * running turn.
   */
  read(paths: ConversationPaths): Promise<readonly RecordFile[]>;
  /** Writes the files to the paths at which a resume finds them. The runtime is not running. */
  write(paths: ConversationPaths, files: readonly RecordFile[]): Promise<void>;
}
