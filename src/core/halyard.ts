import type { Delivery, Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { RequestId, SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { Answer } from "../schema/permission.ts";
import type { ProcessInfo } from "../schema/process.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtime-info.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { StartRequest } from "../schema/start-request.ts";
import type { PositionedEvent, SessionFilter } from "./store.ts";

/** Runs coding agents. In process or over HTTP: who holds one cannot tell which. */
export interface Halyard extends AsyncDisposable {
  runtimes(): Promise<RuntimeInfo[]>;
  /** Looks at one runtime closely: where it is, whether it is signed in, what to do. */
  examine(runtime: RuntimeName): Promise<RuntimeReport>;
  /** Resolves once the session is on record and its runtime started; `ready()` tells when it takes messages. */
  start(request: StartRequest): Promise<Session>;
  /** Takes hold of a runtime that still runs, or has it continue from its own record. Never starts afresh. */
  resume(id: SessionId, options?: ResumeOptions): Promise<Session>;
  /** The session as it runs here. Where it does not run it rejects, and leaves it as it is. */
  session(id: SessionId): Promise<Session>;
  /** Ends a session with its runtime and all it started, also one that nobody holds; nothing where it has ended already. */
  stop(id: SessionId, reason?: string): Promise<void>;
  find(id: SessionId): Promise<SessionInfo | undefined>;
  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<SessionInfo[]>;
  /** One session's events by `seq`, or everybody's by position. */
  events(filter: { sessionId: SessionId } & FollowOptions): AsyncIterable<StreamEvent>;
  allEvents(options?: FollowOptions): AsyncIterable<PositionedEvent>;
  /** One session's events in batches of all that is there, for whoever hands many of them on. */
  batches(filter: { sessionId: SessionId } & FollowOptions): AsyncIterable<readonly StreamEvent[]>;
  /** Changes a session, whether or not it runs. What its runtime cannot change while it runs is refused. */
  update(id: SessionId, changes: SessionChanges): Promise<SessionInfo>;
  /** Ends the session if it lives, and forgets it. */
  remove(id: SessionId): Promise<void>;
  /** Every process that was started for a session and still runs, with its session where there is one. */
  processes(): Promise<ProcessInfo[]>;
  /** Ends what is left of sessions that are over; says what that was. */
  reap(): Promise<ProcessInfo[]>;
}

/**
 * What a resumed session may be given anew. Policy, reasoning, plan and a model's name are changes of the session, kept on
 * record; the rest, which may hold keys, is for this once.
 */
export type ResumeOptions = Pick<
  StartRequest,
  | "model"
  | "env"
  | "credentials"
  | "permissions"
  | "attended"
  | "raw"
  | "record"
  | "limits"
  | "options"
  | "reasoning"
  | "plan"
  | "trust"
>;

/** One conversation. Disposing of it stops it. */
export interface Session extends AsyncDisposable {
  readonly id: SessionId;
  /** As of now. */
  readonly info: SessionInfo;
  /** How it was opened; a resume is never silently a fresh start. */
  readonly opened: "started" | "resumed" | "attached";
  /** The `seq` of the last event before it was opened. */
  readonly openedAfter: number;
  /** Resolves once the runtime takes messages; rejects with the reason why it never will. */
  ready(): Promise<void>;
  /** Never throws: what goes wrong is in the receipt and the outcome. */
  send(text: string, options?: SendOptions): Turn;
  /** Ends the turn under way, or the one named, as cancelled; nothing where it has ended already. */
  interrupt(options?: InterruptOptions): Promise<void>;
  /** Resolves if the runtime is there and well; rejects with what is wrong. */
  ping(): Promise<void>;
  /** Settles an open request. */
  answer(requestId: RequestId, answer: Answer): Promise<void>;
  /** The log from `after` on, and what is added to it until the session ends. */
  events(options?: FollowOptions): AsyncIterable<StreamEvent>;
  /** Lets go of the session and leaves its runtime running, for another process to resume. */
  detach(): Promise<void>;
  /** Ends the turn under way, the runtime and all it started. Idempotent. */
  stop(reason?: string): Promise<void>;
}

/** Which turn to end, and why. */
export interface InterruptOptions {
  readonly turnId?: TurnId;
  readonly reason?: string;
}

/** How a message is to be sent. */
export interface SendOptions {
  /**
   * The turn's id, from whoever may have to send the same message again: it is given to the runtime once. Where the
   * message goes into a turn under way, it is the message's own.
   */
  readonly id?: TurnId;
  /** What to do while a turn is under way; `queue` unless said otherwise. */
  readonly delivery?: Delivery;
  /** Cancels the turn. */
  readonly signal?: AbortSignal;
  /** For this turn as a whole, in place of the session's limit. */
  readonly timeoutMs?: number;
}

/** One message and all that follows from it: its events, and apart from them how it was delivered and how it ended. */
export interface Turn extends AsyncIterable<StreamEvent> {
  readonly id: TurnId;
  /** Never rejects. */
  readonly accepted: Promise<Receipt>;
  /** Never rejects; the turn's completion is on disk by then. */
  readonly outcome: Promise<Outcome>;
  /** Resolves once the turn has ended. A turn that has ended already stays as it ended. */
  cancel(reason?: string): Promise<void>;
}

/** Where to begin reading, and whether to wait for more. */
export interface FollowOptions {
  /** Only events above this `seq`; 0, the beginning, unless said otherwise. */
  readonly after?: number;
  /** Wait for more at the end of the log; yes, unless said otherwise. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}
