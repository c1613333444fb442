import { HalyardError } from "../../core/error.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";
import type { RequestId } from "../../schema/id.ts";
import type { Answer } from "../../schema/permission.ts";
import type { EventOutput } from "./event-output.ts";
import type { Decided } from "./reply.ts";

export interface Asker {
  /** Puts a request to somebody; undefined where it was taken back. */
  ask(request: RequestEvent, options: { signal: AbortSignal }): Promise<Decided | undefined>;
  answer(requestId: RequestId, answer: Answer): Promise<void>;
}

/**
 * Puts the requests among the events to somebody, one at a time. What happens meanwhile is shown once the question
 * is out of the way; one that was settled elsewhere, or whose turn has ended, is taken back.
 */
export class AskingOutput implements EventOutput {
  readonly #output: EventOutput;
  readonly #asker: Asker;
  /** Requests seen and not yet out of the way. */
  readonly #questions = new Map<RequestId, AbortController>();
  #shown: Promise<void> = Promise.resolve();

  constructor(output: EventOutput, asker: Asker) {
    this.#output = output;
    this.#asker = asker;
  }

  /** Does not wait for answers: the event that takes a question back must get here while it is open. */
  async write(event: StreamEvent): Promise<void> {
    if (isQuestion(event)) this.#questions.set(event.requestId, new AbortController());
    if (event.type === "response") this.#questions.get(event.requestId)?.abort();
    if (event.type === "completion")
      for (const question of this.#questions.values()) question.abort();
    this.#shown = this.#shown.then(() => this.#show(event));
    this.#shown.catch(() => {}); // the next write that waits throws it
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
      // Somebody else, or time, was faster; the response that is on its way says so.
      if (!(error instanceof HalyardError && error.code === "request_not_found")) throw error;
    }
  }
}

function isQuestion(event: StreamEvent): event is StreamEvent & RequestEvent {
  return event.type === "request" && event.verdict === "ask";
}
