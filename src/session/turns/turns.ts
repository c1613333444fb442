import { within } from "../../async/watchdog.ts";
import type { Connection, Output } from "../../contracts/adapter.ts";
import type { CompletionDraft } from "../../contracts/event-draft.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { isTransient } from "../../log/appends.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { Requests } from "../../permissions/requests.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { RequestEvent, ResponseEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import { turnInput } from "../attachments/turn-input.ts";
import { busyError } from "../message-error.ts";
import type { RestoredTurns, SteeredMessage } from "../recovery/restore.ts";
import type { SessionParts } from "../session-parts.ts";
import { createRequests } from "./create-requests.ts";
import { type KnownMessage, KnownMessages } from "./known-messages.ts";
import { MessageRecord } from "./message-record.ts";
import { type Cause, interrupted, type OpenTurn } from "./open-turn.ts";
import { OutputReader } from "./output-reader.ts";
import { answerRequest, cancelTurn, refusalOf } from "./runtime-calls.ts";
import { Steering } from "./steering.ts";
import { TurnQueue } from "./turn-queue.ts";
import { TurnWatch } from "./turn-watch.ts";

/** The turns of a session: at most one runs, the others wait. Each turn ends exactly once. */
export class Turns {
  readonly requests: Requests;
  readonly #parts: SessionParts;
  readonly #log: EventLog;
  readonly #connection: Connection;
  readonly #watch: TurnWatch;
  readonly #reader: OutputReader;
  readonly #queue = new TurnQueue();
  readonly #known: KnownMessages;
  readonly #record: MessageRecord;
  readonly #steering: Steering;
  /** Ends the session with an error. */
  readonly #fail: (error: unknown) => void;
  #current: OpenTurn | undefined;
  #isOpen = false;
  #isHandedOver = false;
  #isHeld = false;

  constructor(parts: SessionParts, fail: (error: unknown) => void) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#connection = parts.connection;
    this.#fail = fail;
    this.requests = createRequests(parts, (nativeId, response) => {
      void this.#respond(nativeId, response).catch(fail);
    });
    const { log, limits, redactor } = parts;
    const { requests } = this;
    const onSilence = (error: HalyardError) => this.#onSilence(error);
    this.#watch = new TurnWatch({ limits, log, requests, onSilence });
    this.#reader = new OutputReader(requests, parts);
    this.#record = new MessageRecord(log, redactor);
    this.#known = new KnownMessages(parts);
    this.#steering = new Steering(parts, this.#record, this.#known);
    if (parts.restored) this.#takeUp(parts.restored);
  }

  get current(): OpenTurn | undefined {
    return this.#current;
  }

  /** All turns that have not ended, the running one first. */
  get open(): OpenTurn[] {
    return this.#current ? [this.#current, ...this.#queue] : [...this.#queue];
  }

  /** Returns a message of this session by its id. */
  find(id: TurnId): KnownMessage | undefined {
    return this.#known.find(id);
  }

  /** Starts to send messages: the runtime is ready. */
  start(): void {
    this.#isOpen = true;
    this.#startNext();
  }

  /** Runs an action while no turn runs. New messages wait. Rejects if a turn runs. */
  async hold<T>(action: () => Promise<T>): Promise<T> {
    if (this.#current || this.#isHeld) throw busyError(this.#log.info.id);
    this.#isHeld = true;
    try {
      return await action();
    } finally {
      this.#isHeld = false;
      this.#startNext();
    }
  }

  /** Starts no further turns. */
  stop(): void {
    this.#isOpen = false;
    this.#watch.stop();
  }

  /**
   * Starts no further turns and leaves the running one to the next owner. A message that is being sent is delivered
   * first.
   */
  async handOver(): Promise<void> {
    this.stop();
    const current = this.#current;
    if (current?.stage === "sending") {
      const sent = current.accepted.promise;
      await within("stop", HANDING_OVER_MS, "handing over a message", sent).catch(() => {});
    }
    this.#isHandedOver = true;
  }

  /** Starts the turn or queues it: at the end, or at the front if it interrupts the running one. */
  submit(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    const running = this.#current;
    this.#known.add(turn.id, { turn, accepted: turn.accepted.promise });
    this.#queue.add(turn, { interrupt });
    this.#startNext();
    if (this.#current === turn) return;
    void this.#announce(turn);
    if (!interrupt || !running) return;
    void this.end(running, { status: "cancelled", reason: "interrupted by a new message" });
  }

  /** Sends a message to the running turn. */
  steer(turn: OpenTurn, message: SteeredMessage): Promise<Receipt> {
    return this.#steering.steer(turn, message);
  }

  /** Writes a batch of the runtime's output to the log, split at the ends of turns. */
  async take(batch: readonly Output[]): Promise<void> {
    const asked: RequestEvent[] = [];
    const written: Promise<void>[] = [];
    let rest = batch;
    while (rest.length > 0) {
      const turn = this.#current;
      const read = this.#reader.read(rest, turn);
      rest = read.rest;
      asked.push(...read.asked);
      if (turn && read.end) written.push(this.close(turn, read.end, read.events));
      else if (read.events.length > 0) written.push(this.#append(read.events, turn));
    }
    if (this.#current) this.#watch.expectMore(this.#current);
    await Promise.all(written);
    for (const request of asked) this.requests.decide(request);
  }

  /** Ends a turn by this cause if it has no other yet. Resolves when the turn has ended. */
  async end(turn: OpenTurn, cause: Cause): Promise<void> {
    if (turn.blame(cause)) {
      if (turn.stage === "queued") await this.close(turn).catch(this.#fail);
      else if (turn.stage === "running") await this.#interrupt(turn).catch(this.#fail);
      else this.#watch.expectEnd(); // the runtime has not accepted the message yet
    }
    await turn.outcome.promise;
  }

  /** Ends a turn. All ends go through here; only the first call has an effect. */
  async close(
    turn: OpenTurn,
    end: CompletionDraft = interrupted,
    before: readonly StoredEvent[] = [],
  ): Promise<void> {
    if (turn.stage === "closed") return;
    const wasSent = turn.stage !== "queued";
    const unanswered = this.#current === turn ? this.requests.close() : [];
    this.#takeOut(turn);
    await turn.close(end, [...before, ...unanswered], (events) => this.#append(events, turn));
    this.#startNext();
    if (wasSent) this.#parts.checkpoints?.afterTurn(turn.id);
  }

  #takeOut(turn: OpenTurn): void {
    turn.stage = "closed";
    if (this.#current === turn) {
      this.#current = undefined;
      this.#watch.stop();
    } else {
      this.#queue.remove(turn);
    }
  }

  /**
   * Rejects a message that the store temporarily cannot record; the caller can send it again. Any other error ends the
   * session.
   */
  #refuse(turn: OpenTurn, error: unknown): void {
    if (isTransient(error)) {
      this.#takeOut(turn);
      this.#known.forget(turn.id);
      turn.settle(error);
      this.#startNext();
    } else {
      this.#fail(error);
    }
  }

  /** Records a message that waits in the queue. */
  async #announce(turn: OpenTurn): Promise<void> {
    try {
      await this.#record.queued(turn);
    } catch (error) {
      if (turn.stage === "queued") this.#refuse(turn, error);
      return; // otherwise the start of the turn reports the error
    }
    turn.accepted.resolve({ status: "queued" });
  }

  /** Sends the next message if no turn runs. */
  #startNext(): void {
    if (!this.#isOpen || this.#current || this.#isHeld) return;
    const turn = this.#queue.next();
    if (turn === undefined) return;
    this.#current = turn;
    turn.stage = "sending";
    void this.#begin(turn).catch(this.#fail);
  }

  async #begin(turn: OpenTurn): Promise<void> {
    const refusal = await refusalOf(this.#parts);
    if (turn.stage === "closed") return; // the session has ended
    if (this.#isHandedOver) return this.#leave(turn);
    try {
      // Recorded directly before the message is sent: a message that is recorded as started is never sent again.
      await this.#record.started(turn, this.#reader.cursor);
    } catch (error) {
      if (turn.isOnRecord && isTransient(error)) return; // the next owner starts it
      return this.#refuse(turn, error);
    }
    if (turn.cause) return this.close(turn);
    turn.startDeadline((error) => void this.end(turn, { status: "failed", error }));
    this.#watch.expectMore(turn);
    try {
      if (refusal) throw refusal.error;
      const input = await turnInput(turn, { turnId: turn.id, files: this.#parts.attachments });
      const sent = this.#connection.send(input);
      // After the call, so that the message does not wait for a process to start.
      this.#parts.checkpoints?.beforeTurn(turn.id, () => turn.hasBegun);
      turn.accepted.resolve(await sent);
    } catch (error) {
      if (this.#isHandedOver) return;
      turn.blame({ status: "failed", error: toErrorInfo(error, "delivery_failed") });
      return this.close(turn);
    }
    if (turn.stage !== "sending") return;
    turn.stage = "running";
    if (turn.cause) await this.#interrupt(turn);
  }

  /** Settles a turn that no other process can start because it is not recorded yet. */
  #leave(turn: OpenTurn): void {
    if (turn.isOnRecord) return;
    this.#takeOut(turn);
    const message = "the session was detached before the message was delivered; send it again";
    turn.settle(new HalyardError("session_stopped", message));
  }

  async #interrupt(turn: OpenTurn): Promise<void> {
    this.#watch.expectEnd();
    const problems = await cancelTurn(this.#connection);
    if (problems.length > 0) await this.#append(problems, turn);
  }

  async #respond(nativeId: string, response: ResponseEvent): Promise<void> {
    await this.#append([this.#parts.redactor.redact(response)], this.#current);
    const problems = await answerRequest(this.#connection, nativeId, response);
    if (problems.length > 0) await this.#append(problems, this.#current);
  }

  #append(events: readonly StoredEvent[], turn: OpenTurn | undefined): Promise<void> {
    const { cursor } = this.#reader;
    return this.#log.append(events, { turnId: turn?.id, cursor, waits: true });
  }

  #onSilence(error: HalyardError): void {
    if (error.phase === "cancel" || !this.#current) this.#fail(error);
    else void this.end(this.#current, { status: "failed", error: toErrorInfo(error) });
  }

  #takeUp({ current, queue, requests, steered }: RestoredTurns): void {
    this.#current = current;
    for (const turn of queue) this.#queue.add(turn, { interrupt: false });
    for (const turn of this.open)
      this.#known.add(turn.id, { turn, accepted: turn.accepted.promise });
    this.#steering.takeUp(steered);
    for (const request of requests) {
      this.requests.restore(request);
      this.requests.decide(request);
    }
    if (!current) return;
    current.startDeadline((error) => void this.end(current, { status: "failed", error }));
    this.#watch.expectMore(current);
  }
}

/** How long to wait for the runtime to accept a message. It may still accept it later, without this process. */
const HANDING_OVER_MS = 2_000;
