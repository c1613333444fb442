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
import type { SessionId } from "../schema/id.ts";
import type { OutcomeStatus, Usage } from "../schema/outcome.ts";
import type { Answer } from "../schema/permission.ts";
import type { RuntimeName } from "../schema/runtime.ts";

/** A request from the runtime. The session adds an id, a verdict with its reason or rule, and an expiry time. */
export interface RequestDraft
  extends Omit<RequestEvent, "requestId" | "verdict" | "reason" | "rule" | "expiresAt"> {
  /** Files that an edit changes but the tool's input does not mention. */
  readonly paths?: readonly string[];
  /** The command without the shell that the tool's input wraps around it. */
  readonly command?: string;
}

/** The runtime settled one of its own requests and no longer waits for an answer. */
export interface SettledDraft {
  readonly type: "settled";
  /** The runtime's id for the request. */
  readonly nativeId: string;
  readonly decision: Answer["decision"];
}

/** The runtime reported the end of the turn. The session determines the final outcome. */
export interface CompletionDraft {
  readonly type: "completion";
  readonly status: OutcomeStatus;
  readonly stopReason?: string;
  /** The usage of this turn only, not a running total. */
  readonly usage?: Usage;
  /** The final text. Set only if it differs from the last message. */
  readonly text?: string;
  /** The answer as a JSON value, if the message had a schema and the runtime reports the value. */
  readonly data?: unknown;
  readonly error?: ErrorInfo;
  /** The session that continues the work, if a usage limit ends the turn. Set by the session, not by an adapter. */
  readonly handoff?: { readonly runtime: RuntimeName; readonly sessionId: SessionId };
}

/** An event from an adapter, before the log assigns its `seq` and time. */
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

/** Maps native messages to drafts. A mapper is deterministic and never throws; unknown messages become `system/raw`. */
export interface Mapper {
  map(message: unknown): EventDraft[];
  /** The number of leading drafts in the last result of `map` that belong to earlier messages. Defaults to 0. */
  readonly late?: number;
  /** Called at the end of the input. Returns the drafts that the mapper had buffered. */
  flush(): EventDraft[];
}

/** Returns the event for a native message that is unknown or belongs to no turn. */
export function raw(message: unknown): SystemEvent {
  return { type: "system", subtype: "raw", data: { message } };
}

/** Wraps an event that belongs to no turn in a `system/raw` event with the reason. */
export function setApart(event: EventDraft, why: string): SystemEvent {
  return { type: "system", subtype: "raw", text: why, data: { event } };
}

/** Returns the event for a problem that does not end the turn. */
export function warning(text: string): SystemEvent {
  return { type: "system", subtype: "warning", text };
}
