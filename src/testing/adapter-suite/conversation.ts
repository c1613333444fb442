import type { Connection } from "../../contracts/adapter.ts";
import type { CompletionDraft, EventDraft, RequestDraft } from "../../contracts/event-draft.ts";
import { newTurnId } from "../../errors/require-id.ts";
import type { Answer } from "../../schema/permission.ts";

/** The drafts and the completion of a turn that has ended. */
export interface FinishedTurn {
  readonly drafts: readonly EventDraft[];
  readonly end: CompletionDraft;
}

/** A connection and its drafts so far. Reads the output and answers requests, as a session does. */
export class Conversation implements AsyncDisposable {
  readonly connection: Connection;
  readonly drafts: EventDraft[] = [];
  /** The cursor of the last output. Stays 0 if the output has no cursors. */
  cursor = 0;
  /** Answers requests. A request stays open if this function returns undefined. */
  answer: (request: RequestDraft) => Answer | undefined;
  readonly #reading: Promise<void>;
  #hasEnded = false;
  #wake = () => {};

  constructor(connection: Connection, answer: (request: RequestDraft) => Answer | undefined) {
    this.connection = connection;
    this.answer = answer;
    this.#reading = this.#read();
  }

  /** Sends a message and waits for the end of the turn. */
  async turn(text: string): Promise<FinishedTurn> {
    const from = this.drafts.length;
    await this.send(text);
    return this.finishedTurn(from);
  }

  async send(text: string): Promise<void> {
    await this.connection.send({ turnId: newTurnId(), text });
  }

  async steer(text: string): Promise<void> {
    await this.connection.steer({ turnId: newTurnId(), text });
  }

  /** Waits for the end of the turn that starts after the first `from` drafts. */
  async finishedTurn(from = 0): Promise<FinishedTurn> {
    const end = await this.until("completion", from);
    return { drafts: this.drafts.slice(from, this.drafts.indexOf(end) + 1), end };
  }

  /** Waits for the first draft of a type after the first `from` drafts. Throws if the output ends first. */
  until<T extends EventDraft["type"]>(
    type: T,
    from = 0,
  ): Promise<Extract<EventDraft, { type: T }>> {
    return this.find((draft) => (isOf(draft, type) ? draft : undefined), type, from);
  }

  /** Waits for the first draft after the first `from` drafts for which `read` returns a value. Returns the value. */
  async find<T>(read: (draft: EventDraft) => T | undefined, name: string, from = 0): Promise<T> {
    for (let at = from; ; at++) {
      while (at >= this.drafts.length) await this.#more(name);
      const draft = this.drafts[at];
      const found = draft && read(draft);
      if (found !== undefined) return found;
    }
  }

  async #more(name: string): Promise<void> {
    if (this.#hasEnded) throw new Error(`The output ended without a ${name}.`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
    await this.#reading;
  }

  /** Reads the output. Ignores its errors, because the connection tests check them. */
  async #read(): Promise<void> {
    try {
      for await (const batch of this.connection.output) {
        for (const { drafts, cursor } of batch) {
          this.cursor = cursor ?? this.cursor;
          for (const draft of drafts) this.#add(draft);
        }
        this.#wake();
      }
    } catch {
      // Ignored, as described above.
    }
    this.#hasEnded = true;
    this.#wake();
  }

  #add(draft: EventDraft): void {
    this.drafts.push(draft);
    if (draft.type !== "request") return;
    const answer = this.answer(draft);
    if (answer !== undefined) void this.connection.answer(draft.nativeId, answer);
  }
}

/** Leaves a request open. */
export function leaveOpen(): undefined {}

function isOf<T extends EventDraft["type"]>(
  draft: EventDraft,
  type: T,
): draft is Extract<EventDraft, { type: T }> {
  return draft.type === type;
}

/** Returns the drafts with this type. */
export function ofType<T extends EventDraft["type"]>(
  drafts: readonly EventDraft[],
  type: T,
): Extract<EventDraft, { type: T }>[] {
  return drafts.filter((draft) => isOf(draft, type));
}

/** Returns the texts of the assistant's complete messages on the text channel. */
export function assistantTexts(drafts: readonly EventDraft[]): string[] {
  return ofType(drafts, "message")
    .filter(({ channel }) => channel === "text")
    .map(({ text }) => text);
}
