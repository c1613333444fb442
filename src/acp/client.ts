import type { RequestEvent } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { Answer } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Choice } from "./choices.ts";
import type { Telling } from "./telling.ts";

/** Whoever drives us, in whichever version of the protocol. */
export interface Client {
  /** Whether it wants to hear its own prompts. */
  readonly hearsItself: boolean;
  /** Nothing reaches it any more. */
  readonly isGone: boolean;
  tell(session: SessionInfo, telling: Telling): Promise<void>;
  /** What can be chosen, once it has changed. */
  offer(session: SessionInfo, choices: readonly Choice[]): Promise<void>;
  /** What the session is at. */
  report(session: SessionInfo, activity: Activity): Promise<void>;
  /** Rejects where it cannot be asked, and when there is no more need to. */
  ask(session: SessionInfo, request: RequestEvent, signal: AbortSignal): Promise<Answer>;
}

/** What a session is at; `outcome` is how its last turn ended. */
export type Activity =
  | { readonly state: "running" | "requires_action" }
  | { readonly state: "idle"; readonly outcome?: Outcome };
