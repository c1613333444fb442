import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { fromErrorInfo, HalyardError } from "../../errors/error.ts";
import { failureOf, requireTaken } from "../../halyard/turn-results.ts";
import { hasEnded } from "../../log/projection.ts";
import type { StreamEvent as HalyardEvent } from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { ExecuteResponse } from "./execute-request.ts";
import type { StreamingExecutor, WaitResult } from "./runtime.ts";
import { createEventView, type StreamEvent } from "./stream-event.ts";

interface Submission {
  readonly prompt: string;
  /** The `seq` before the prompt's first event. */
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** Opens the log for a reader that has not finished when the runtime is closed. */
  openForReading?(): Promise<Halyard> | undefined;
}

/** Sends a prompt to a session and follows the session from this prompt on. */
export class SessionExecutor implements StreamingExecutor {
  /** Settles when the session has ended. */
  readonly ended: Promise<void>;
  readonly #session: Session;
  readonly #after: number;
  readonly #openForReading: Submission["openForReading"];
  /** The last turn that was sent. */
  #turn: Turn;
  /** Settles when the runtime has accepted or rejected the last message. */
  #sending: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** The turn whose signal was aborted by a deadline. */
  #expired: Turn | undefined;

  constructor(session: Session, { prompt, after, signal, openForReading }: Submission) {
    this.#session = session;
    this.#after = after;
    this.#openForReading = openForReading;
    this.#turn = session.send(prompt, { ...(signal && { signal }) });
    if (signal) this.#watchDeadline(this.#turn, signal);
    this.ended = this.#watch();
    this.ended.catch(() => {}); // `close` and the owner await it
  }

  get sessionID(): string {
    return this.#session.id;
  }

  get runtimeSessionID(): string | undefined {
    return this.#session.info.runtimeSessionId;
  }

  get done(): Promise<void> {
    return this.wait().then(() => undefined);
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || hasEnded(this.#session.info);
  }

  get events(): AsyncIterable<StreamEvent> {
    return { [Symbol.asyncIterator]: () => this.#events() };
  }

  get errors(): AsyncIterable<Error> {
    return { [Symbol.asyncIterator]: () => this.#errors() };
  }

  /** Resolves when the runtime has accepted the prompt. Rejects if the runtime does not accept the prompt. */
  async accepted(): Promise<void> {
    await requireTaken(this.#turn);
  }

  /** Waits for the turn that was sent last and returns its result. Rejects if the turn does not complete. */
  async collect(): Promise<ExecuteResponse> {
    const turn = this.#turn;
    const outcome = await turn.outcome;
    if (outcome.status !== "completed") throw this.#result(turn, outcome).error;
    const { sessionID, runtimeSessionID } = this;
    const { text: result, usage, durationMs: duration } = outcome;
    const tokens = { input: usage.inputTokens, output: usage.outputTokens };
    const { turns } = this.#session.info;
    return { sessionID, runtimeSessionID, result, tokens, duration, turns };
  }

  ping(): Promise<void> {
    return this.#session.ping();
  }

  async sendMessage(message: string): Promise<void> {
    if (this.isClosed)
      throw new HalyardError(
        "session_stopped",
        `The executor is closed. Call execute with the sessionID "${this.sessionID}" to continue.`,
      );
    const before = this.#turn;
    const turn = this.#session.send(message);
    this.#turn = turn;
    this.#sending = requireTaken(turn).catch((error) => {
      if (isInvalid(error) && this.#turn === turn) this.#turn = before; // a rejected message has no turn
      throw error;
    });
    await this.#sending;
  }

  async cancel({ keepOpen = false }: { keepOpen?: boolean } = {}): Promise<void> {
    await this.#session.interrupt({ reason: "cancelled" });
    if (!keepOpen) await this.close("cancelled");
  }

  async wait(): Promise<WaitResult> {
    const turn = this.#turn;
    const outcome = await turn.outcome;
    await this.#sending.catch(() => {}); // the sender receives the error
    if (turn !== this.#turn) return this.wait();
    return this.#result(turn, outcome);
  }

  async close(reason = "closed"): Promise<void> {
    this.#closing ??= this.#session.stop(reason);
    await this.#closing;
    await this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Records whether a deadline (`AbortSignal.timeout`) cancelled the turn. */
  #watchDeadline(turn: Turn, signal: AbortSignal): void {
    const onAbort = () => {
      if (isDeadline(signal)) this.#expired = turn;
    };
    signal.addEventListener("abort", onAbort, { once: true });
    void turn.outcome.then(() => signal.removeEventListener("abort", onAbort));
  }

  #result(turn: Turn, outcome: Outcome): WaitResult {
    const isExpired = turn === this.#expired && outcome.status === "cancelled";
    return isExpired ? { exitCode: 124, error: deadlineError() } : toWaitResult(outcome);
  }

  async #watch(): Promise<void> {
    const events = this.#log()[Symbol.asyncIterator]();
    while (!(await events.next()).done);
  }

  async *#events(): AsyncGenerator<StreamEvent> {
    const view = createEventView();
    for await (const event of this.#log()) yield view(event);
  }

  async *#errors(): AsyncGenerator<Error> {
    for await (const event of this.#log()) if (event.type === "error") yield fromErrorInfo(event);
  }

  /** Yields the session's events. A slow reader receives every event, even if the runtime is closed in the meantime. */
  async *#log(): AsyncGenerator<HalyardEvent> {
    const { id } = this.#session;
    let after = this.#after;
    try {
      for await (const event of this.#session.events({ after })) {
        yield event;
        after = event.seq;
      }
    } catch (error) {
      const opening = this.#openForReading?.();
      if (opening === undefined) throw error;
      await using halyard = await opening;
      yield* halyard.events(id, { after, follow: false });
    }
  }
}

/** Returns a turn's exit code and error. */
export function toWaitResult(outcome: Outcome): WaitResult {
  if (outcome.status === "completed") return { exitCode: 0, error: undefined };
  const exitCode =
    exitCodes[outcome.status === "cancelled" ? "cancelled" : (outcome.error?.code ?? "")];
  return { exitCode: exitCode ?? 1, error: failureOf(outcome) };
}

/** The exit codes of errors. An error that is not listed exits with 1. */
const exitCodes: Readonly<Record<string, number>> = { cancelled: 130, timed_out: 124 };

/** True if a signal was aborted by a time limit. */
export function isDeadline({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

/** Returns the error of a call whose signal was aborted by a time limit. */
export function deadlineError(): HalyardError {
  const message = "The deadline of the call's signal has passed. Call again with a later deadline.";
  return new HalyardError("timed_out", message);
}

function isInvalid(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "invalid_input";
}
