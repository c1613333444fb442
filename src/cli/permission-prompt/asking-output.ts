import { HalyardError } from "../../errors/error.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";
import type { RequestId } from "../../schema/id.ts";
import type { Answer } from "../../schema/permission.ts";
import type { EventOutput } from "../output/event-output.ts";
import type { Decided } from "./reply.ts";

export interface Asker {
  /** Asks the user. Returns undefined if the question was cancelled. */
  ask(request: RequestEvent, options: { signal: AbortSignal }): Promise<Decided | undefined>;
  answer(requestId: RequestId, answer: Answer): Promise<void>;
}

/**
 * Writes events and asks the user about each request, one at a time. Events that arrive during a question are written
 * after the question. A question is cancelled if the request is answered elsewhere or its turn ends.
 */
export class AskingOutput implements EventOutput {
  readonly #output: EventOutput;
  readonly #asker: Asker;
  /** The request that the user is being asked about, and the requests to ask about next. */
  readonly #questions = new Map<RequestId, AbortController>();
  #shown: Promise<void> = Promise.resolve();

  constructor(output: EventOutput, asker: Asker) {
    this.#output = output;
    this.#asker = asker;
  }

  /**
   * Writes an event. Does not wait for answers, because an event that cancels a question must be processed while the
   * question is open.
   */
  async write(event: StreamEvent): Promise<void> {
    if (isQuestion(event)) this.#questions.set(event.requestId, new AbortController());
    if (event.type === "response") this.#questions.get(event.requestId)?.abort();
    if (event.type === "completion")
      for (const question of this.#questions.values()) question.abort();
    this.#shown = this.#shown.then(() => this.#show(event));
    this.#shown.catch(() => {}); // the next write that awaits the promise throws the error
    if (this.#questions.size === 0 || event.type === "completion") await this.#shown;
  }

  close(): void {
    this.#output.close();
  }

  async #show(event: StreamEvent): Promise<void> {
    await this.#output.write(event);
    if (!isQuestion(event)) return;
    const { signal } = this.#questions.get(event.requestId) ?? new AbortController();
    const reply = signal.aborted ? undefined : await this.#asker.ask(event, { signal });
    this.#questions.delete(event.requestId);
    if (reply) await this.#answer(event, reply);
  }

  async #answer({ requestId }: RequestEvent, { answer }: Decided): Promise<void> {
    try {
      await this.#asker.answer(requestId, answer);
    } catch (error) {
      // Ignored: the request was answered elsewhere or timed out. Its response event follows.
      if (!(error instanceof HalyardError && error.code === "request_not_found")) throw error;
    }
  }
}

function isQuestion(event: StreamEvent): event is StreamEvent & RequestEvent {
  return event.type === "request" && event.verdict === "ask";
}
