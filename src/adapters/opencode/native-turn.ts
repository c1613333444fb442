import type { CompletionDraft } from "../../core/draft.ts";
import { addUsage, noUsage } from "../../core/usage.ts";
import { cancelled, completed, failed, failure, isAbort, usageOf } from "./completion.ts";
import type { MessageInfo, NativeError, Part } from "./messages.ts";
import { TextParts } from "./text-parts.ts";
import { ToolParts } from "./tools.ts";

/**
 * A turn as OpenCode has it: a message of the user's, perhaps others that came while it went on, and an answer of the
 * assistant's for each call of the model. What matters is when it is over, for that is not said in so many words.
 */
export class NativeTurn {
  readonly texts = new TextParts();
  readonly tools = new ToolParts();
  /** Every message that belongs to it. */
  readonly messages = new Set<string>();
  /** OpenCode says it is idle, but what it does has not come to an end: it often says so early. */
  isHeld = false;
  /** Somebody wants it to end. */
  isCancelled = false;
  /** Why it was made to end, where not because somebody wanted it. */
  givenUp: string | undefined;
  /** Messages sent into it that have not shown up yet. */
  expected = 0;
  /** Whether the model was at work at all. */
  hasBegun = false;
  readonly #answers = new Map<string, { isComplete: boolean }>();
  #lastQuestion: string | undefined;
  #isAnswered = true;
  #error: NativeError | undefined;
  #finish: string | undefined;
  #usage = noUsage;

  /** Whether something is bound to follow, or would follow if it were not held up. */
  get isUnfinished(): boolean {
    const isAnswering = [...this.#answers.values()].some(({ isComplete }) => !isComplete);
    const isOwed = !this.#isAnswered && this.#error === undefined;
    return isAnswering || isOwed || this.expected > 0 || this.tools.hasOpen;
  }

  /** The model is at work. */
  work(): void {
    this.hasBegun = true;
    this.isHeld = false;
  }

  ask(id: string): void {
    this.messages.add(id);
    this.expected = Math.max(0, this.expected - 1);
    this.#lastQuestion = id;
    this.#isAnswered = false;
    this.isHeld = false;
  }

  /** The assistant's messages are told over and over; what is complete stays so. */
  answer(info: MessageInfo): void {
    const { id, parentID, error, finish, time } = info;
    this.hasBegun = true;
    this.messages.add(id);
    const known = this.#answers.get(id);
    const answer = known ?? { isComplete: false };
    this.#answers.set(id, answer);
    if (known === undefined) {
      this.#error = undefined; // it goes on all the same
      this.isHeld = false;
    }
    if (parentID === undefined || parentID === this.#lastQuestion) this.#isAnswered = true;
    answer.isComplete ||= time?.completed !== undefined;
    if (error !== undefined) this.#error = error;
    if (known === undefined || finish !== undefined) this.#finish = finish;
  }

  fail(error: NativeError): void {
    this.#error = error;
  }

  /** A call of the model has come to its end, and with it the message it was made for. */
  endStep(part: Part): void {
    this.#answers.set(part.messageID, { isComplete: true });
    this.#finish = part.reason ?? this.#finish;
    this.spend(part);
  }

  spend(part: Part): void {
    this.#usage = addUsage(this.#usage, usageOf(part));
  }

  /** How it ended. Three ways of being broken off leave no error behind. */
  conclude(): CompletionDraft {
    const usage = this.#usage;
    const error = this.#error;
    if (this.givenUp !== undefined) return failure("agent_failed", this.givenUp, usage);
    if (error !== undefined) return isAbort(error) ? cancelled(usage) : failed(error, usage);
    const finish = this.#finish;
    if (finish === undefined || !this.#isAnswered) return cancelled(usage);
    const wasToGoOn = finish === "tool-calls" && !this.tools.lastFailed;
    if (wasToGoOn || (finish === "tool-calls" && this.isCancelled)) return cancelled(usage);
    return completed(finish, usage);
  }

  /** How it ended when OpenCode itself did. */
  breakOff(message: string): CompletionDraft {
    return failure("agent_exited", message, this.#usage);
  }
}
