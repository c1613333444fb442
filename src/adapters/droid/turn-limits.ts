import type { CompletionDraft, EventDraft, Mapper } from "../../contracts/event-draft.ts";
import { errorInfo } from "../../errors/error.ts";
import { messageKind } from "./events/message-kind.ts";
import { DroidMessage, type Notification } from "./messages.ts";

/**
 * Limits two loops that Droid does not limit: retries when the model is overloaded, and continuations when the model
 * reaches its token limit. The turn is interrupted and ends as failed or with `max_tokens`, not as cancelled.
 */
export function limitTurns(mapper: Mapper, interrupt: () => void): Mapper {
  const limits = new TurnLimits();
  return {
    map(message) {
      if (limits.exceeds(message)) interrupt();
      return mapper.map(message).map((draft) => limits.replaceEnd(draft));
    },
    flush: () => mapper.flush(),
  };
}

/** The maximum number of attempts with an overloaded model. The third attempt fails after about 12 s. */
const MAX_OVERLOADED_ATTEMPTS = 3;

/**
 * The number of attempts after any other error. Droid itself stops after the fourth attempt and reports the model's
 * error.
 */
const DROID_ATTEMPTS = 4;

/** The maximum number of times that a model may continue a truncated message. */
const MAX_CONTINUATIONS = 3;

class TurnLimits {
  /** The number of consecutive messages without tool calls, each of which should have ended the turn. */
  #finalMessages = 0;
  #end: Omit<CompletionDraft, "usage"> | undefined;

  /** Returns true if the turn has to be interrupted now. */
  exceeds(native: unknown): boolean {
    if (!limitedNotifications.has(messageKind(native).notification)) return false;
    const { data: message } = DroidMessage.safeParse(native);
    if (message?.type !== "notification" || this.#end) return false;
    this.#end = this.#check(message.params.notification);
    return this.#end !== undefined;
  }

  replaceEnd(draft: EventDraft): EventDraft {
    if (draft.type !== "completion") return draft;
    const { usage } = draft;
    const end = draft.status === "cancelled" ? this.#end : undefined;
    this.#end = undefined;
    this.#finalMessages = 0;
    return end ? { ...end, ...(usage && { usage }) } : draft;
  }

  #check(notification: Notification): Omit<CompletionDraft, "usage"> | undefined {
    if (notification.type === "llm_retry")
      return this.#retried(notification.attempt, notification.reason);
    if (notification.type === "tool_result") this.#finalMessages = 0;
    if (notification.type !== "create_message") return undefined;
    const { role, content, visibility } = notification.message;
    if (role === "user" && visibility !== "llm_only") this.#finalMessages = 0;
    if (role !== "assistant") return undefined;
    const usesTools =
      typeof content !== "string" && content.some(({ type }) => type === "tool_use");
    this.#finalMessages = usesTools ? 0 : this.#finalMessages + 1;
    if (this.#finalMessages <= MAX_CONTINUATIONS) return undefined;
    return { type: "completion", status: "completed", stopReason: "max_tokens" };
  }

  #retried(attempt = 0, reason = "unknown"): Omit<CompletionDraft, "usage"> | undefined {
    if (attempt < (reason === "overloaded" ? MAX_OVERLOADED_ATTEMPTS : DROID_ATTEMPTS + 1))
      return undefined;
    const message = `The model failed ${attempt} times in a row (${reason}). Send the message again later, or choose another model.`;
    return { type: "completion", status: "failed", error: errorInfo("agent_failed", message) };
  }
}

/** The notifications to parse. Most messages are text deltas, and parsing each of them twice would be slow. */
const limitedNotifications: ReadonlySet<unknown> = new Set([
  "llm_retry",
  "tool_result",
  "create_message",
]);
