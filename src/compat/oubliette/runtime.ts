import type {
  ExecuteOptions,
  ExecuteRequest,
  ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import type { StreamEvent } from "./stream-event.ts";

/** A runtime that executes prompts. */
export interface Runtime extends FourMethods, AsyncDisposable {
  /** The runtime's name, such as `opencode`. */
  readonly name: string;
  /**
   * Checks that turns can run, and sets the defaults for all requests. For OpenCode, starts or joins the project's
   * server and waits for its health endpoint. Rejects with an error that states what is missing. Can be called again.
   */
  initialize(context?: RuntimeContext, options?: ExecuteOptions): Promise<void>;
  /** Resolves with true if the runtime is installed and can run. */
  isAvailable(): Promise<boolean>;
}

/** The methods that a runtime must have. `completeRuntime` adds the others. */
export interface FourMethods {
  /** Starts or continues a session with a prompt, and returns an executor that follows the session. */
  executeStreaming(request: ExecuteRequest, options?: ExecuteOptions): Promise<StreamingExecutor>;
  /** Runs one turn and returns its result. Rejects if the turn fails or is cancelled. */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecuteResponse>;
  /**
   * Calls `initialize`, then rejects if the OpenCode server's health endpoint does not respond. Checks nothing else for
   * Droid, as in Oubliette. For other runtimes, rejects if an open session's process has exited.
   */
  ping(options?: ExecuteOptions): Promise<void>;
  /**
   * Closes every executor. Stops the server unless another of the project's runtimes uses it, in this or another
   * process.
   */
  close(): Promise<void>;
}

/** The two-way stream of one session. Disposing the executor closes it. */
export interface StreamingExecutor extends AsyncDisposable {
  /** The session's Halyard id. A later request continues the session by this id. */
  readonly sessionID: string;
  /** The runtime's session id, once it is known. */
  readonly runtimeSessionID: string | undefined;
  /** The events from the prompt until the end of the session. Each reader receives all events. */
  readonly events: AsyncIterable<StreamEvent>;
  /** The errors from the prompt until the end of the session. Each reader receives all errors. */
  readonly errors: AsyncIterable<Error>;
  /** Resolves when every turn so far has ended: completed, failed or cancelled. Never rejects. */
  readonly done: Promise<void>;
  readonly isClosed: boolean;
  /** Queues another turn. Rejects if the runtime does not accept the message. */
  sendMessage(message: string): Promise<void>;
  /** Cancels the current turn. Closes the executor unless `keepOpen` is true. */
  cancel(options?: { keepOpen?: boolean }): Promise<void>;
  /** Waits until every turn so far has ended, and returns how the last one ended. Never rejects. */
  wait(): Promise<WaitResult>;
  /** Stops the session. A later request can continue it. Idempotent. */
  close(): Promise<void>;
}

/** How a turn ended. */
export interface WaitResult {
  /** 0 if it completed, 1 if it failed, 124 if it timed out or the deadline of its signal has passed, 130 if it was cancelled. */
  readonly exitCode: number;
  /** The reason why the turn did not complete, or undefined if it completed. */
  readonly error: Error | undefined;
}
