import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage } from "../../../schema/usage/usage.ts";
import type { MessageInfo, NativeError, Part } from "../messages.ts";
import { cancelled, completed, failed, failure, isAbort, usageOf } from "./completion.ts";
import { TextParts } from "./text-parts.ts";
import { ToolParts } from "./tools.ts";

/**
 * An OpenCode turn: one or more user messages, and an assistant message for each model call. OpenCode has no event for
 * the end of a turn, so this class determines when a turn ends.
 */
export class NativeTurn {
  readonly texts = new TextParts();
  readonly tools = new ToolParts();
  /** The ids of all messages in the turn. */
  readonly messages = new Set<string>();
  /** True if OpenCode reported idle before the turn was finished, which is common. */
  isHeld = false;
  /** True after a cancel request. */
  isCancelled = false;
  /** The reason why Halyard aborted the turn without a cancel request. */
  givenUp: string | undefined;
  /** The number of steered messages that have no event yet. */
  expected = 0;
  /** True if the model has started to work. */
  hasBegun = false;
  readonly #answers = new Map<string, { isComplete: boolean }>();
  #lastUserMessage: string | undefined;
  #isAnswered = true;
  #error: NativeError | undefined;
  #finish: string | undefined;
  #usage = noUsage;

  /** The usage of the steps so far, including subagents' steps. */
  get usage(): Usage {
    return this.#usage;
  }

  /** True if more events must arrive before the turn can end. */
  get isUnfinished(): boolean {
    const isAnswering = [...this.#answers.values()].some(({ isComplete }) => !isComplete);
    const needsAnswer = !this.#isAnswered && this.#error === undefined;
    return isAnswering || needsAnswer || this.expected > 0 || this.tools.hasOpen;
  }

  /** Records that the model is working. */
  setBusy(): void {
    this.hasBegun = true;
    this.isHeld = false;
  }

  addUserMessage(id: string): void {
    this.messages.add(id);
    this.expected = Math.max(0, this.expected - 1);
    this.#lastUserMessage = id;
    this.#isAnswered = false;
    this.isHeld = false;
  }

  /** Records an update of an assistant message. A complete message stays complete. */
  updateAnswer(info: MessageInfo): void {
    const { id, parentID, error, finish, time } = info;
    this.hasBegun = true;
    this.messages.add(id);
    const known = this.#answers.get(id);
    const answer = known ?? { isComplete: false };
    this.#answers.set(id, answer);
    if (known === undefined) {
      this.#error = undefined; // an error followed by more output did not end the turn
      this.isHeld = false;
    }
    if (parentID === undefined || parentID === this.#lastUserMessage) this.#isAnswered = true;
    answer.isComplete ||= time?.completed !== undefined;
    if (error !== undefined) this.#error = error;
    if (known === undefined || finish !== undefined) this.#finish = finish;
  }

  fail(error: NativeError): void {
    this.#error = error;
  }

  /** Records the end of a model call and its message. */
  endStep(part: Part): void {
    this.#answers.set(part.messageID, { isComplete: true });
    this.#finish = part.reason ?? this.#finish;
    this.addUsage(part);
  }

  addUsage(part: Part): void {
    this.#usage = addUsage(this.#usage, usageOf(part));
  }

  /**
   * Builds the completion. A turn without an error counts as cancelled if it lacks a finish reason, an answer, or a
   * step after its tool calls. After a failed tool, the step may be missing unless the turn was cancelled.
   */
  conclude(): CompletionDraft {
    const usage = this.#usage;
    const error = this.#error;
    if (this.givenUp !== undefined) return failure("agent_failed", this.givenUp, usage);
    if (error !== undefined) return isAbort(error) ? cancelled(usage) : failed(error, usage);
    const finish = this.#finish;
    if (finish === undefined || !this.#isAnswered) return cancelled(usage);
    const expectedMore = finish === "tool-calls" && !this.tools.lastFailed;
    if (expectedMore || (finish === "tool-calls" && this.isCancelled)) return cancelled(usage);
    return completed(finish, usage);
  }

  /** Builds the completion after OpenCode has exited. */
  concludeExited(message: string): CompletionDraft {
    return failure("agent_exited", message, this.#usage);
  }
}
