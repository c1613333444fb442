import type { Output } from "../../contracts/adapter.ts";
import type { CompletionDraft } from "../../contracts/event-draft.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { type HalyardError, toErrorInfo } from "../../errors/error.ts";
import { isTransient } from "../../log/appends.ts";
import { BUDGET_REQUEST, type Requests } from "../../permissions/requests.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { RequestEvent, ResponseEvent } from "../../schema/event.ts";
import { busyError, undeliveredError } from "../message-error.ts";
import { TurnPauses } from "../pauses/turn-pauses.ts";
import type { RestoredTurns } from "../recovery/restore.ts";
import type { SessionParts } from "../session-parts.ts";
import { createRequests } from "./create-requests.ts";
import { KnownMessages } from "./known-messages.ts";
import { MessageRecord } from "./message-record.ts";
import { type Cause, interrupted, type OpenTurn } from "./open-turn.ts";
import { OutputReader } from "./output-reader.ts";
import { answerRequest, cancelTurn, refusalOf, untilSent } from "./runtime-calls.ts";
import { correctionEvents, sendAgain, sendCorrection, sendMessage } from "./send-message.ts";
import { Steering } from "./steering.ts";
import { TurnQueue } from "./turn-queue.ts";
import { TurnWatch } from "./turn-watch.ts";

/** The turns of a session: at most one is running, the others wait. Each turn ends exactly once. */
export class Turns {
  readonly requests: Requests;
  readonly #parts: SessionParts;
  readonly #pauses: TurnPauses;
  readonly watch: TurnWatch;
  readonly #reader: OutputReader;
  readonly #queue = new TurnQueue();
  readonly known: KnownMessages;
  readonly #record: MessageRecord;
  readonly steering: Steering;
  readonly #fail: (error: unknown) => void;
  current: OpenTurn | undefined;
  #isOpen = false;
  #isHandedOver = false;
  #isHeld = false;

  constructor(parts: SessionParts, fail: (error: unknown) => void) {
    this.#parts = parts;
    this.#fail = fail;
    this.requests = createRequests(parts, (nativeId, response) => {
      void this.#respond(nativeId, response).catch(fail);
    });
    const { log, limits, redactor } = parts;
    const { requests } = this;
    const onSilence = (error: HalyardError) => this.#onSilence(error);
    this.#pauses = new TurnPauses(parts, this, fail);
    this.watch = new TurnWatch({ limits, log, requests, onSilence });
    this.#reader = new OutputReader(requests, parts);
    this.#record = new MessageRecord(log, redactor);
    this.known = new KnownMessages(parts);
    this.steering = new Steering(parts, this.#record, this.known);
    if (parts.restored) this.#takeUp(parts.restored);
  }

  /** All turns that have not ended, the running turn first. */
  get open(): OpenTurn[] {
    return this.current ? [this.current, ...this.#queue] : [...this.#queue];
  }

  start(): void {
    this.#isOpen = true;
    if (this.current?.stage === "suspended") this.#pauses.restore(this.current);
    this.#pauses.restoreHandoff();
    this.#startNext();
  }

  /** Runs an action. New messages wait until it ends. Rejects with `workspace_failed` if a turn or another action runs. */
  async hold<T>(action: () => Promise<T>): Promise<T> {
    if (this.current || this.#isHeld) throw busyError(this.#parts.log.info.id);
    this.#isHeld = true;
    try {
      return await action();
    } finally {
      this.#isHeld = false;
      this.#startNext();
    }
  }

  stop(): void {
    this.#isOpen = false;
    this.watch.stop();
    this.#pauses.stop();
  }

  /**
   * Stops starting turns and leaves the running turn to the next owner. First waits at most 2 s until the runtime has
   * received a message that is being sent.
   */
  async handOver(): Promise<void> {
    this.stop();
    if (this.current?.stage === "sending") await untilSent(this.current);
    this.#isHandedOver = true;
  }

  /** Starts the turn, or queues it. An interrupting turn cancels the running turn and precedes queued turns. */
  submit(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    const running = this.current;
    this.known.add(turn.id, { turn, accepted: turn.accepted.promise });
    this.#queue.add(turn, { interrupt });
    this.#startNext();
    if (this.current === turn) return;
    void this.#announce(turn);
    if (!interrupt || !running) return;
    void this.end(running, { status: "cancelled", reason: "interrupted by a new message" });
  }

  /** Writes a batch of the runtime's output to the log, split at the ends of turns. */
  async take(batch: readonly Output[]): Promise<void> {
    const asked: RequestEvent[] = [];
    const written: Promise<void>[] = [];
    let rest = batch;
    while (rest.length > 0) {
      const turn = this.current;
      const read = this.#reader.read(rest, turn);
      rest = read.rest;
      asked.push(...read.asked);
      if (turn && read.end) written.push(this.#finish(turn, read.end, read.events));
      else if (read.events.length > 0) written.push(this.append(read.events, turn));
    }
    if (this.current) this.#pauses.onProgress(this.current);
    await Promise.all(written);
    for (const request of asked) this.requests.decide(request);
  }

  /** Ends or suspends a turn after its native turn ended. Requests another answer if the answer does not match the schema. */
  async #finish(turn: OpenTurn, end: CompletionDraft, events: StoredEvent[]): Promise<void> {
    // The end of a turn can arrive before `send()` resolves. If the runtime ended the turn, it received the message.
    if (end.error?.code !== "delivery_failed") turn.markSent({ status: "confirmed" });
    const again = turn.review(end);
    if (!again) return this.#pauses.onEnd(turn, end, events);
    turn.stage = "sending";
    await this.append([...events, ...correctionEvents(turn, again)], turn);
    // Not awaited: the runtime may accept the message only after its output is read.
    void this.#send(turn, () => sendCorrection(this.#parts, turn, again)).catch(this.#fail);
  }

  /** Ends a turn with this cause, unless it already has a cause. Resolves when the turn has ended. */
  async end(turn: OpenTurn, cause: Cause): Promise<void> {
    if (turn.blame(cause)) {
      const isIdle = turn.stage === "queued" || turn.stage === "suspended";
      if (isIdle) await this.close(turn).catch(this.#fail);
      else if (turn.stage === "running") await this.interrupt(turn).catch(this.#fail);
      else this.watch.expectEnd(); // the runtime has not accepted the message yet
    }
    await turn.outcome.promise;
  }

  /** Ends a turn. Every turn ends through this method; only the first call has an effect. */
  async close(
    turn: OpenTurn,
    end: CompletionDraft = interrupted,
    before: readonly StoredEvent[] = [],
  ): Promise<void> {
    if (turn.stage === "closed") return;
    const wasSent = turn.stage !== "queued";
    const unanswered = this.current === turn ? this.requests.close() : [];
    this.#takeOut(turn);
    await turn.close(end, [...before, ...unanswered], (events) => this.append(events, turn));
    this.#startNext();
    if (wasSent) this.#parts.checkpoints?.afterTurn(turn.id);
  }

  #takeOut(turn: OpenTurn): void {
    turn.stage = "closed";
    if (this.current === turn) {
      this.current = undefined;
      this.watch.stop();
      this.#pauses.stop();
    } else {
      this.#queue.remove(turn);
    }
  }

  /**
   * Rejects a message that the store temporarily cannot record; the caller can retry. Any other error ends the session.
   */
  #refuse(turn: OpenTurn, error: unknown): void {
    if (isTransient(error)) {
      this.#takeOut(turn);
      this.known.forget(turn.id);
      turn.settle(error);
      this.#startNext();
    } else {
      this.#fail(error);
    }
  }

  /** Records that a message waits in the queue. */
  async #announce(turn: OpenTurn): Promise<void> {
    try {
      await this.#record.queued(turn);
    } catch (error) {
      if (turn.stage === "queued") this.#refuse(turn, error);
      return; // if the turn is no longer queued, its start reports the error
    }
    turn.accepted.resolve({ status: "queued" });
  }

  /** Starts the next queued turn if the session is ready and no turn or `hold` action runs. */
  #startNext(): void {
    if (!this.#isOpen || this.current || this.#isHeld) return;
    const turn = this.#queue.next();
    if (!turn) return;
    this.current = turn;
    turn.stage = "sending";
    // Recorded immediately before the message is sent: a message that is recorded as started is never sent again.
    const record = () => this.#record.started(turn, this.#reader.cursor);
    void this.#begin(turn, record, () => sendMessage(this.#parts, turn)).catch(this.#fail);
  }

  /** Continues a suspended turn with `text`, or with its original message if `text` is undefined. */
  proceed(turn: OpenTurn, text: string | undefined): Promise<void> {
    turn.stage = "sending";
    const record = () => this.#record.continued(turn, text, this.#reader.cursor);
    return this.#begin(turn, record, () => sendAgain(this.#parts, turn, text));
  }

  async #begin(
    turn: OpenTurn,
    record: () => Promise<void>,
    send: () => Promise<Receipt>,
  ): Promise<void> {
    const refusal = await refusalOf(this.#parts);
    const exceeded = refusal ? undefined : await this.#pauses.exceeded(turn);
    if (turn.stage === "closed") return; // the session has ended
    if (this.#isHandedOver) {
      if (turn.isOnRecord) return; // a recorded turn stays in the log, so that another process can start it
      this.#takeOut(turn);
      return turn.settle(undeliveredError());
    }
    try {
      await record();
    } catch (error) {
      if (turn.isOnRecord && isTransient(error)) return; // the next owner of the session starts the turn
      return this.#refuse(turn, error);
    }
    if (!turn.cause && exceeded) return this.#pauses.holdBack(turn, exceeded);
    if (turn.cause) return this.close(turn);
    turn.startDeadline((error) => void this.end(turn, { status: "failed", error }));
    this.watch.expectMore(turn);
    await this.#send(turn, refusal ? () => Promise.reject(refusal.error) : send);
  }

  /** Sends a message of the turn. Ends the turn if the runtime rejects the message. */
  async #send(turn: OpenTurn, send: () => Promise<Receipt>): Promise<void> {
    try {
      turn.markSent(await send());
    } catch (error) {
      if (this.#isHandedOver) return;
      turn.blame({ status: "failed", error: toErrorInfo(error, "delivery_failed") });
      return this.close(turn);
    }
    if (turn.stage !== "sending") return;
    turn.stage = "running";
    this.#pauses.onSent(turn);
    if (turn.cause || turn.pause) await this.interrupt(turn);
  }

  async interrupt(turn: OpenTurn): Promise<void> {
    this.watch.expectEnd();
    const problems = await cancelTurn(this.#parts.connection);
    if (problems.length > 0) await this.append(problems, turn);
  }

  async #respond(nativeId: string, response: ResponseEvent): Promise<void> {
    await this.append([this.#parts.redactor.redact(response)], this.current);
    if (nativeId === BUDGET_REQUEST) return this.#pauses.onAnswer(this.current, response);
    const problems = await answerRequest(this.#parts.connection, nativeId, response);
    if (problems.length > 0) await this.append(problems, this.current);
  }

  append(events: readonly StoredEvent[], turn: OpenTurn | undefined): Promise<void> {
    const { cursor } = this.#reader;
    return this.#parts.log.append(events, { turnId: turn?.id, cursor, waits: true });
  }

  #onSilence(error: HalyardError): void {
    if (error.phase === "cancel" || !this.current) this.#fail(error);
    else void this.end(this.current, { status: "failed", error: toErrorInfo(error) });
  }

  #takeUp({ current, queue, requests, steered }: RestoredTurns): void {
    this.current = current;
    for (const turn of queue) this.#queue.add(turn, { interrupt: false });
    for (const turn of this.open)
      this.known.add(turn.id, { turn, accepted: turn.accepted.promise });
    this.steering.takeUp(steered);
    for (const request of requests) {
      this.requests.restore(request);
      this.requests.decide(request);
    }
    if (!current || current.stage === "suspended") return;
    current.startDeadline((error) => void this.end(current, { status: "failed", error }));
    this.watch.expectMore(current);
  }
}
