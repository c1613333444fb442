import type {
  ExecuteOptions,
  ExecuteRequest,
  ExecuteResponse,
  RuntimeContext,
} from "./execute-request.ts";
import type { StreamEvent } from "./stream-event.ts";

/** One runtime, in front of whatever runs it. */
export interface Runtime extends FourMethods, AsyncDisposable {
  /** What the runtime is called. */
  readonly name: string;
  /** Checks that turns can be run, and sets what holds for all of them. Rejects with what is missing. Repeatable. */
  initialize(context?: RuntimeContext): Promise<void>;
  /** Whether the runtime can run here. */
  isAvailable(): Promise<boolean>;
}

/** All that a runtime has to have; `completeRuntime` adds the rest. */
export interface FourMethods {
  /** Starts or continues a session with a prompt, and follows it. */
  executeStreaming(request: ExecuteRequest, options?: ExecuteOptions): Promise<StreamingExecutor>;
  /** Runs one turn and collects it. Rejects where the turn fails or is cancelled. */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecuteResponse>;
  /** Resolves if the runtime is well; rejects with what is wrong. */
  ping(): Promise<void>;
  /** Closes every executor, and whatever was started for them. */
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
  /** Settles once the session is over: closed, cancelled, or ended by itself. */
  readonly done: Promise<void>;
  readonly isClosed: boolean;
  /** Starts a further turn behind those there are. Rejects if the message is not taken. */
  sendMessage(message: string): Promise<void>;
  /** Interrupts the turn under way, which ends as cancelled, and closes the executor unless it is to be kept open. */
  cancel(options?: { keepOpen?: boolean }): Promise<void>;
  /** Waits for the end of every turn so far; the exit code of the last: 0, or what the shell would say. */
  wait(): Promise<number>;
  /** Ends the session; it can be continued by a later request. Repeatable. */
  close(): Promise<void>;
}
