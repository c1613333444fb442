import type { CompletionDraft, EventDraft, Mapper } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { DroidMessage, type Notification } from "./messages.ts";
import { peek } from "./peek.ts";

/**
 * Bounds what Droid does not bound: it tries an overloaded model for ever, and has a model that breaks off for want
 * of room go on for ever. The turn is interrupted then, and ends as what it is, not as cancelled.
 */
export function stopRunaways(mapper: Mapper, interrupt: () => void): Mapper {
  const watch = new RunawayWatch();
  return {
    map(message) {
      if (watch.hear(message)) interrupt();
      return mapper.map(message).map((draft) => watch.settle(draft));
    },
    flush: () => mapper.flush(),
  };
}

/** Of an overloaded model; the third attempt fails after about twelve seconds. */
const ATTEMPTS = 3;

/** Of everything else Droid gives up the fourth by itself, with the model's own words. */
const ATTEMPTS_OF_ITS_OWN = 4;

/** How often a model may go on with what it broke off. */
const CONTINUATIONS = 3;

class RunawayWatch {
  /** Messages in a row that ought to have been the turn's last. */
  #last = 0;
  #end: Omit<CompletionDraft, "usage"> | undefined;

  /** Whether the turn has to be interrupted now. */
  hear(native: unknown): boolean {
    if (!interesting.has(peek(native).notification)) return false;
    const { data: message } = DroidMessage.safeParse(native);
    if (message?.type !== "notification" || this.#end) return false;
    this.#end = this.#judge(message.params.notification);
    return this.#end !== undefined;
  }

  settle(draft: EventDraft): EventDraft {
    if (draft.type !== "completion") return draft;
    const { usage } = draft;
    const end = draft.status === "cancelled" ? this.#end : undefined;
    this.#end = undefined;
    this.#last = 0;
    return end ? { ...end, ...(usage && { usage }) } : draft;
  }

  #judge(told: Notification): Omit<CompletionDraft, "usage"> | undefined {
    if (told.type === "llm_retry") return this.#retried(told.attempt, told.reason);
    if (told.type === "tool_result") this.#last = 0;
    if (told.type !== "create_message") return undefined;
    const { role, content, visibility } = told.message;
    if (role === "user" && visibility !== "llm_only") this.#last = 0;
    if (role !== "assistant") return undefined;
    const usesTools =
      typeof content !== "string" && content.some(({ type }) => type === "tool_use");
    this.#last = usesTools ? 0 : this.#last + 1;
    if (this.#last <= CONTINUATIONS) return undefined;
    return { type: "completion", status: "completed", stopReason: "max_tokens" };
  }

  #retried(attempt = 0, reason = "unknown"): Omit<CompletionDraft, "usage"> | undefined {
    if (attempt < (reason === "overloaded" ? ATTEMPTS : ATTEMPTS_OF_ITS_OWN + 1)) return undefined;
    const message = `the model keeps failing (${reason}): given up after ${attempt} attempts`;
    return { type: "completion", status: "failed", error: errorInfo("agent_failed", message) };
  }
}

/** Most messages are pieces of text, and to parse each of them twice would be felt. */
const interesting: ReadonlySet<unknown> = new Set(["llm_retry", "tool_result", "create_message"]);
