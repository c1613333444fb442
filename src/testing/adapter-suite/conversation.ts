import type { Connection } from "../../core/adapter.ts";
import type { CompletionDraft, EventDraft, RequestDraft } from "../../core/draft.ts";
import { newTurnId } from "../../core/id.ts";
import type { Answer } from "../../schema/permission.ts";

/** How a turn went: all that was said in it, and its end. */
export interface Told {
  readonly drafts: readonly EventDraft[];
  readonly end: CompletionDraft;
}

/** A connection and what it said so far. Takes the core's part: reads on, and answers what is asked. */
export class Conversation implements AsyncDisposable {
  readonly connection: Connection;
  readonly drafts: EventDraft[] = [];
  /** How far the output has been read, where it can be read again. */
  cursor = 0;
  /** What is asked from now on is answered so. */
  answer: (request: RequestDraft) => Answer | undefined;
  readonly #listening: Promise<void>;
  #isOver = false;
  #wake = () => {};

  constructor(connection: Connection, answer: (request: RequestDraft) => Answer | undefined) {
    this.connection = connection;
    this.answer = answer;
    this.#listening = this.#listen();
  }

  /** Sends a message and waits for the end of the turn. */
  async turn(text: string): Promise<Told> {
    const from = this.drafts.length;
    await this.send(text);
    return this.told(from);
  }

  async send(text: string): Promise<void> {
    await this.connection.send({ turnId: newTurnId(), text });
  }

  async steer(text: string): Promise<void> {
    await this.connection.steer({ turnId: newTurnId(), text });
  }

  /** The turn that began behind the first `from` drafts, once it has ended. */
  async told(from = 0): Promise<Told> {
    const end = await this.until("completion", from);
    return { drafts: this.drafts.slice(from, this.drafts.indexOf(end) + 1), end };
  }

  /** The first such draft behind the first `from`. */
  async until<T extends EventDraft["type"]>(
    type: T,
    from = 0,
  ): Promise<Extract<EventDraft, { type: T }>> {
    while (true) {
      const found = this.drafts.slice(from).find((draft) => isOf(draft, type));
      if (found !== undefined && isOf(found, type)) return found;
      if (this.#isOver) throw new Error(`the runtime ended without a ${type}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
    await this.#listening;
  }

  /** Why the output ends is for the tests of the connection to say; here it just ends. */
  async #listen(): Promise<void> {
    try {
      for await (const batch of this.connection.output) {
        for (const { drafts, cursor } of batch) {
          this.cursor = cursor ?? this.cursor;
          for (const draft of drafts) this.#hear(draft);
        }
        this.#wake();
      }
    } catch {
      // as above
    }
    this.#isOver = true;
    this.#wake();
  }

  #hear(draft: EventDraft): void {
    this.drafts.push(draft);
    if (draft.type !== "request") return;
    const answer = this.answer(draft);
    if (answer !== undefined) void this.connection.answer(draft.nativeId, answer);
  }
}

/** No answer at all. */
export function leaveOpen(): undefined {}

function isOf<T extends EventDraft["type"]>(
  draft: EventDraft,
  type: T,
): draft is Extract<EventDraft, { type: T }> {
  return draft.type === type;
}

export function ofType<T extends EventDraft["type"]>(
  drafts: readonly EventDraft[],
  type: T,
): Extract<EventDraft, { type: T }>[] {
  return drafts.filter((draft) => isOf(draft, type));
}

/** All that the assistant said on the text channel, as whole messages. */
export function spoken(drafts: readonly EventDraft[]): string[] {
  return ofType(drafts, "message")
    .filter(({ channel }) => channel === "text")
    .map(({ text }) => text);
}
