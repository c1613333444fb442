import type { ErrorInfo } from "../schema/error.ts";
import type {
  DeltaEvent,
  ErrorEvent,
  MessageEvent,
  RequestEvent,
  SystemEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../schema/event.ts";
import type { OutcomeStatus, Usage } from "../schema/outcome.ts";
import type { Answer } from "../schema/permission.ts";

/** A request as the runtime makes it; the core adds an id, a verdict and an expiry. */
export interface RequestDraft extends Omit<RequestEvent, Judged> {
  /** Files that an edit changes and that the tool's input does not name. */
  readonly paths?: readonly string[];
  /** The command alone, if the tool's input has a shell around it. */
  readonly command?: string;
}

type Judged = "requestId" | "verdict" | "reason" | "rule" | "expiresAt";

/** The runtime has settled a request of its own by itself, and waits for no answer any more. */
export interface SettledDraft {
  readonly type: "settled";
  /** The request's. */
  readonly nativeId: string;
  readonly decision: Answer["decision"];
}

/** The runtime says that the turn has ended; the core settles how. */
export interface CompletionDraft {
  readonly type: "completion";
  readonly status: OutcomeStatus;
  readonly stopReason?: string;
  /** This turn's, with running totals already differenced. */
  readonly usage?: Usage;
  /** Only where it differs from the last message. */
  readonly text?: string;
  readonly error?: ErrorInfo;
}

/** What an adapter tells the core. */
export type EventDraft =
  | SystemEvent
  | DeltaEvent
  | MessageEvent
  | ToolCallEvent
  | ToolResultEvent
  | ErrorEvent
  | RequestDraft
  | SettledDraft
  | CompletionDraft;

/** Tells native messages in our words: total, pure and deterministic. Unknown input becomes `system/raw`. */
export interface Mapper {
  map(message: unknown): EventDraft[];
  /** How many of the first drafts that `map` returned last come from earlier messages. Defaults to none. */
  readonly late?: number;
  /** Nothing more is coming: says what was held back to see whether more would come. */
  flush(): EventDraft[];
}

/** A native message that is not understood, or has no place: it is kept as it came. */
export function raw(message: unknown): SystemEvent {
  return { type: "system", subtype: "raw", data: { message } };
}

/** What belongs to no turn of ours, and why: it is kept, but not mistaken for part of one. */
export function setApart(event: EventDraft, why: string): SystemEvent {
  return { type: "system", subtype: "raw", text: why, data: { event } };
}

export function warning(text: string): SystemEvent {
  return { type: "system", subtype: "warning", text };
}
