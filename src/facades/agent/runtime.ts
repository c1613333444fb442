import type {
  ExecuteOptions,
  ExecuteRequest,
  ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import type { StreamEvent } from "./stream-event.ts";

/** A runtime that executes prompts. */
export interface Runtime extends FourMethods, AsyncDisposable {
  /** The name of the runtime. */
  readonly name: string;
  /**
   * Checks that turns can run and sets the defaults for all requests. For OpenCode, starts or joins the project's
   * server and waits for its health endpoint. Rejects with what is missing. Repeatable.
   */
  initialize(context?: RuntimeContext, options?: ExecuteOptions): Promise<void>;
  /** True if the runtime can run here. */
  isAvailable(): Promise<boolean>;
}

/** All that a runtime has to have; `completeRuntime` adds the rest. */
export interface FourMethods {
  /** Starts or continues a session with a prompt, and follows it. */
  executeStreaming(request: ExecuteRequest, options?: ExecuteOptions): Promise<StreamingExecutor>;
  /** Runs one turn and collects it. Rejects where the turn fails or is cancelled. */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecuteResponse>;
  /** Rejects if OpenCode's server does not answer its health endpoint, or a process of an open session is gone. */
  ping(options?: ExecuteOptions): Promise<void>;
  /** Closes every executor and the server. */
  close(): Promise<void>;
}

/** The two-way stream of one session. Disposing of it closes it. */
export interface StreamingExecutor extends AsyncDisposable {
  /** Our id for the session, by which a later request continues it. */
  readonly sessionID: string;
  /** The runtime's own id for it, as soon as it is known. */
  readonly runtimeSessionID: string | undefined;
  /** All that happens from the prompt on, until the session ends. Each reader gets everything. */
  readonly events: AsyncIterable<StreamEvent>;
  /** What goes wrong, as errors. */
  readonly errors: AsyncIterable<Error>;
  /** Resolves when every turn so far has ended: completed, failed or cancelled. Never rejects. */
  readonly done: Promise<void>;
  readonly isClosed: boolean;
  /** Starts a further turn behind those there are. Rejects if the message is not taken. */
  sendMessage(message: string): Promise<void>;
  /** Interrupts the turn under way, which ends as cancelled, and closes the executor unless it is to be kept open. */
  cancel(options?: { keepOpen?: boolean }): Promise<void>;
  /** Waits until every turn so far has ended, and returns how the last one ended. Never rejects. */
  wait(): Promise<WaitResult>;
  /** Ends the session; it can be continued by a later request. Repeatable. */
  close(): Promise<void>;
}

/** How a turn ended. */
export interface WaitResult {
  /** 0 if it completed, 1 if it failed, 124 if it timed out, 130 if it was cancelled. */
  readonly exitCode: number;
  /** Why it did not complete; undefined if it did. */
  readonly error: Error | undefined;
}
