import type { EventDraft } from "../../core/draft.ts";
import { plainWords } from "../../core/plain-words.ts";
import type { Usage } from "../../schema/outcome.ts";
import { completionOf } from "./completion.ts";
import { type Item, isSpoken, type SpokenItem } from "./items.ts";
import type { Note, TurnError } from "./messages.ts";
import { OpenCalls } from "./open-calls.ts";
import { OpenMessages, PART_BREAK } from "./open-messages.ts";

/** A turn of Codex's in our words, from its first item to its end. */
export class TurnEvents {
  readonly id: string;
  readonly threadId: string;
  readonly calls = new OpenCalls();
  readonly #messages: OpenMessages;
  /** The item that holds what the model says at the moment. */
  #speaking: string | undefined;
  /** The plan, where the turn came to one: it is the answer then, whatever was said around it. */
  #plan: string | undefined;
  #error: TurnError | undefined;
  /** Whole messages, until it is clear that the answer they stand in did not break off behind them. */
  #held: EventDraft[] = [];

  constructor(threadId: string, id: string) {
    this.threadId = threadId;
    this.id = id;
    this.#messages = new OpenMessages(id);
  }

  /** What was held back, now that the model's answer is known to stand. */
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
    if (!isSpoken(item)) return [...settled, ...this.#completed(item)];
    this.#held = this.#spoken(item);
    return settled;
  }

  piece(note: Piece): EventDraft[] {
    return [...this.settle(), ...this.#piece(note)];
  }

  failed({ error, willRetry }: Note<"error">["params"]): EventDraft[] {
    if (!willRetry) {
      this.#error = error;
      return [];
    }
    this.#held = [];
    this.#messages.abandon();
    this.#speaking = undefined;
    const text = plainWords(error.additionalDetails ?? error.message);
    const [, attempt, maxAttempts] = /(\d+)\/(\d+)/.exec(error.message) ?? [];
    const data = { attempt: Number(attempt), maxAttempts: Number(maxAttempts) };
    return [{ type: "system", subtype: "retry", text, ...(attempt && maxAttempts && { data }) }];
  }

  planned({ explanation, plan }: Note<"turn/plan/updated">["params"]): EventDraft[] {
    const steps = plan.map(({ step, status }) => ({ step, status }));
    const lines = steps.map(({ step, status }) => `${marks.get(status) ?? "○"} ${step}`);
    const text = [...(explanation ? [explanation] : []), ...lines].join("\n");
    return [...this.settle(), { type: "system", subtype: "plan", text, data: { steps } }];
  }

  completion(
    { status, error }: Note<"turn/completed">["params"]["turn"],
    usage: Usage,
  ): EventDraft[] {
    const why = error ?? (status === "failed" ? this.#error : undefined);
    const end = completionOf(status, why ?? undefined, usage);
    const text = this.#plan === undefined ? {} : { text: this.#plan };
    const background = end.status === "completed" ? this.#background() : [];
    return [...this.settle(), ...background, { ...end, ...text }];
  }

  #started(item: Item): EventDraft[] {
    switch (item.type) {
      case "userMessage":
        return this.#giveUp("another message came in between");
      case "agentMessage":
        return this.#speak(item.id);
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

  #spoken(item: SpokenItem): EventDraft[] {
    switch (item.type) {
      case "agentMessage":
        this.#speaking = undefined;
        return this.#messages.end(item.id, "text", item.text);
      case "plan":
        this.#plan = item.text;
        return this.#messages.end(item.id, "text", item.text);
      case "reasoning":
        return this.#thought(item);
    }
  }

  #completed(item: Exclude<Item, SpokenItem>): EventDraft[] {
    switch (item.type) {
      case "userMessage":
      case "hookPrompt":
        return [];
      case "subAgentActivity": {
        const { kind, agentPath, agentThreadId } = item;
        const text = `sub-agent ${agentPath ?? agentThreadId} ${kind}`;
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

  #piece(note: Piece): EventDraft[] {
    const { itemId, delta } = note.params;
    switch (note.method) {
      case "item/agentMessage/delta":
      case "item/plan/delta":
        return this.#messages.piece(itemId, "text", delta);
      case "item/reasoning/summaryTextDelta":
        return this.#messages.piece(itemId, "reasoning", delta, note.params.summaryIndex);
      case "item/reasoning/textDelta":
        return this.#messages.piece(inFull(itemId), "reasoning", delta, note.params.contentIndex);
    }
  }

  /** Commands that go on behind the turn's end: to the model they have answered. */
  #background(): EventDraft[] {
    const commands = this.calls.open.filter(({ item }) => item.type === "commandExecution");
    return commands.map(({ callId }) => {
      return { type: "tool_result", callId, output: "goes on in the background", isError: false };
    });
  }

  /** One message after the other: if the one before has not ended by now, it never will. */
  #speak(itemId: string): EventDraft[] {
    if (this.#speaking === itemId) return [];
    const drafts = this.#speaking === undefined ? [] : this.#giveUp("the model began anew");
    this.#speaking = itemId;
    this.#messages.start(itemId);
    return drafts;
  }

  #giveUp(text: string): EventDraft[] {
    this.#speaking = undefined;
    const wasOpen = this.#messages.isOpen;
    this.#messages.abandon();
    return wasOpen ? [{ type: "system", subtype: "retry", text }] : [];
  }

  /** A summary where there is one; the thoughts themselves where they were streamed, or are all there is. */
  #thought({ id, summary, content }: Extract<Item, { type: "reasoning" }>): EventDraft[] {
    const wasStreamed = this.#messages.has(inFull(id));
    return [
      ...this.#messages.end(id, "reasoning", summary.join(PART_BREAK)),
      ...(wasStreamed || summary.length === 0
        ? this.#messages.end(inFull(id), "reasoning", content.join(PART_BREAK))
        : []),
    ];
  }
}

export type Piece = Note<
  | "item/agentMessage/delta"
  | "item/plan/delta"
  | "item/reasoning/summaryTextDelta"
  | "item/reasoning/textDelta"
>;

/** The thoughts themselves, as against their summary. */
function inFull(itemId: string): string {
  return `${itemId}/content`;
}

const marks = new Map([
  ["completed", "✓"],
  ["inProgress", "›"],
  ["in_progress", "›"],
]);
