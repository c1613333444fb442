import type { RequestEvent } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { Answer } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Choice } from "./choices.ts";
import type { AgentUpdate } from "./updates/agent-update.ts";

/** A connected client, independent of the protocol version. */
export interface Client {
  /** True if the client expects its own prompts as updates. */
  readonly expectsOwnPrompts: boolean;
  /** True if the connection is closed. */
  readonly isGone: boolean;
  /** Sends an update. The client can send `cursor` back when it reconnects, to continue after this update. */
  sendUpdate(session: SessionInfo, update: AgentUpdate, cursor?: string): Promise<void>;
  /** Sends the settings after a change. */
  offer(session: SessionInfo, choices: readonly Choice[]): Promise<void>;
  /** Sends the state of the session. Has no effect in protocol version 1. */
  report(session: SessionInfo, activity: Activity): Promise<void>;
  /**
   * Requests an answer from the client. Rejects if the client cannot show the request or responds with an error, or if the
   * signal is aborted.
   */
  ask(session: SessionInfo, request: RequestEvent, signal: AbortSignal): Promise<Answer>;
}

/** The state of a session. `outcome` is the outcome of the turn that has just ended, if any. */
export type Activity =
  | { readonly state: "running" | "requires_action" }
  | { readonly state: "idle"; readonly outcome?: Outcome };
