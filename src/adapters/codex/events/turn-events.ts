import { plainWords } from "../../../adapter-kit/plain-words.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Usage } from "../../../schema/outcome.ts";
import type { NotificationOf, TurnError } from "../messages.ts";
import { completionOf } from "./completion.ts";
import { type ContentItem, type Item, isContent } from "./items.ts";
import { OpenCalls } from "./open-calls.ts";
import { OpenMessages, PART_BREAK } from "./open-messages.ts";

/** Maps one Codex turn to event drafts. */
export class TurnEvents {
  readonly id: string;
  readonly threadId: string;
  readonly calls = new OpenCalls();
  readonly #messages: OpenMessages;
  /** The item id of the message that is streaming. */
  #currentMessage: string | undefined;
  /** The plan, if the turn produced one. It replaces the outcome's text. */
  #plan: string | undefined;
  #error: TurnError | undefined;
  /** Complete messages that are buffered until the model's response is known to be complete. */
  #held: EventDraft[] = [];

  constructor(threadId: string, id: string) {
    this.threadId = threadId;
    this.id = id;
    this.#messages = new OpenMessages(id);
  }

  /** Returns and clears the buffered messages. Called when the model's response is known to be complete. */
  settle(): EventDraft[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  started(item: Item): EventDraft[] {
    return [...this.settle(), ...this.#started(item)];
  }

  completed(item: Item): EventDraft[] {
    const settled = this.settle();
    if (!isContent(item)) return [...settled, ...this.#completed(item)];
    this.#held = this.#content(item);
    return settled;
  }

  delta(notification: DeltaNotification): EventDraft[] {
    return [...this.settle(), ...this.#delta(notification)];
  }

  failed({ error, willRetry }: NotificationOf<"error">["params"]): EventDraft[] {
    if (!willRetry) {
      this.#error = error;
      return [];
    }
    this.#held = [];
    this.#messages.abandon();
    this.#currentMessage = undefined;
    const text = plainWords(error.additionalDetails ?? error.message);
    const [, attempt, maxAttempts] = /(\d+)\/(\d+)/.exec(error.message) ?? [];
    const data = { attempt: Number(attempt), maxAttempts: Number(maxAttempts) };
    return [{ type: "system", subtype: "retry", text, ...(attempt && maxAttempts && { data }) }];
  }

  planned({ explanation, plan }: NotificationOf<"turn/plan/updated">["params"]): EventDraft[] {
    const steps = plan.map(({ step, status }) => ({ step, status }));
    const lines = steps.map(({ step, status }) => `${marks.get(status) ?? "○"} ${step}`);
    const text = [...(explanation ? [explanation] : []), ...lines].join("\n");
    return [...this.settle(), { type: "system", subtype: "plan", text, data: { steps } }];
  }

  completion(
    { status, error }: NotificationOf<"turn/completed">["params"]["turn"],
    usage: Usage,
  ): EventDraft[] {
    const reason = error ?? (status === "failed" ? this.#error : undefined);
    const end = completionOf(status, reason ?? undefined, usage);
    const text = this.#plan === undefined ? {} : { text: this.#plan };
    const background = end.status === "completed" ? this.#background() : [];
    return [...this.settle(), ...background, { ...end, ...text }];
  }

  #started(item: Item): EventDraft[] {
    switch (item.type) {
      case "userMessage":
        return this.#abandonMessages("another message interrupted this one");
      case "agentMessage":
        return this.#startMessage(item.id);
      case "plan":
      case "reasoning":
        this.#messages.start(item.id);
        return [];
      case "hookPrompt":
      case "subAgentActivity":
        return [];
      case "contextCompaction":
        return [{ type: "system", subtype: "compaction", data: { state: "started" } }];
      case "enteredReviewMode":
      case "exitedReviewMode":
        return [];
      default:
        return this.calls.start(this.threadId, item);
    }
  }

  #content(item: ContentItem): EventDraft[] {
    switch (item.type) {
      case "agentMessage":
        this.#currentMessage = undefined;
        return this.#messages.end(item.id, "text", item.text);
      case "plan":
        this.#plan = item.text;
        return this.#messages.end(item.id, "text", item.text);
      case "reasoning":
        return this.#reasoning(item);
    }
  }

  #completed(item: Exclude<Item, ContentItem>): EventDraft[] {
    switch (item.type) {
      case "userMessage":
      case "hookPrompt":
        return [];
      case "subAgentActivity": {
        const { kind, agentPath, agentThreadId } = item;
        const text = `subagent ${agentPath ?? agentThreadId} ${kind}`;
        return [{ type: "system", subtype: "step", text }];
      }
      case "contextCompaction":
        return [{ type: "system", subtype: "compaction", data: { state: "completed" } }];
      case "enteredReviewMode":
      case "exitedReviewMode": {
        const { type, review: text } = item;
        return [{ type: "system", subtype: "status", text, data: { state: type } }];
      }
      default:
        return this.calls.end(this.threadId, item);
    }
  }

  #delta(notification: DeltaNotification): EventDraft[] {
    const { itemId, delta } = notification.params;
    switch (notification.method) {
      case "item/agentMessage/delta":
      case "item/plan/delta":
        return this.#messages.delta(itemId, "text", delta);
      case "item/reasoning/summaryTextDelta":
        return this.#messages.delta(itemId, "reasoning", delta, notification.params.summaryIndex);
      case "item/reasoning/textDelta":
        return this.#messages.delta(
          fullReasoningId(itemId),
          "reasoning",
          delta,
          notification.params.contentIndex,
        );
    }
  }

  /** Ends the calls of commands that keep running after the turn. For the model, these calls have already returned. */
  #background(): EventDraft[] {
    const commands = this.calls.open.filter(({ item }) => item.type === "commandExecution");
    return commands.map(({ callId }) => {
      return { type: "tool_result", callId, output: "continues in the background", isError: false };
    });
  }

  /** Starts a message. Abandons the previous message if it is incomplete, because messages do not overlap. */
  #startMessage(itemId: string): EventDraft[] {
    if (this.#currentMessage === itemId) return [];
    const drafts =
      this.#currentMessage === undefined ? [] : this.#abandonMessages("the model started again");
    this.#currentMessage = itemId;
    this.#messages.start(itemId);
    return drafts;
  }

  #abandonMessages(text: string): EventDraft[] {
    this.#currentMessage = undefined;
    const wasOpen = this.#messages.isOpen;
    this.#messages.abandon();
    return wasOpen ? [{ type: "system", subtype: "retry", text }] : [];
  }

  /**
   * Emits the reasoning summary, if there is one. Emits the full reasoning if it was streamed, or if there is no
   * summary.
   */
  #reasoning({ id, summary, content }: Extract<Item, { type: "reasoning" }>): EventDraft[] {
    const wasStreamed = this.#messages.has(fullReasoningId(id));
    return [
      ...this.#messages.end(id, "reasoning", summary.join(PART_BREAK)),
      ...(wasStreamed || summary.length === 0
        ? this.#messages.end(fullReasoningId(id), "reasoning", content.join(PART_BREAK))
        : []),
    ];
  }
}

/** A notification that contains a delta for a message, a plan or reasoning. */
export type DeltaNotification = NotificationOf<
  | "item/agentMessage/delta"
  | "item/plan/delta"
  | "item/reasoning/summaryTextDelta"
  | "item/reasoning/textDelta"
>;

/** Returns the id of the full reasoning, as opposed to its summary. */
function fullReasoningId(itemId: string): string {
  return `${itemId}/content`;
}

const marks = new Map([
  ["completed", "✓"],
  ["inProgress", "›"],
  ["in_progress", "›"],
]);
