import type { Receipt } from "../schema/delivery.ts";
import type { RequestEvent, ResponseEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { Connection, Output } from "./adapter.ts";
import { isPassing } from "./appends.ts";
import type { CompletionDraft } from "./draft.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import type { EventLog } from "./event-log.ts";
import { type KnownMessage, KnownMessages } from "./known-messages.ts";
import { MessageRecord } from "./message-record.ts";
import type { Cause, OpenTurn } from "./open-turn.ts";
import { OutputReader } from "./output-reader.ts";
import { answerOf, Requests } from "./requests.ts";
import type { RestoredTurns, SteeredWords } from "./restore.ts";
import type { SessionParts } from "./session-parts.ts";
import { Steering } from "./steering.ts";
import type { StoredEvent } from "./store.ts";
import { TurnQueue } from "./turn-queue.ts";
import { TurnWatch } from "./turn-watch.ts";
import { within } from "./watchdog.ts";

/** The turns of a session: one under way, the others waiting, each of them ended exactly once. */
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
  /** Ends the session for what its turns cannot mend. */
  readonly #fail: (error: unknown) => void;
  #current: OpenTurn | undefined;
  #isOpen = false;
  #isLetGo = false;

  constructor(parts: SessionParts, fail: (error: unknown) => void) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#connection = parts.connection;
    this.#fail = fail;
    this.requests = new Requests({
      policy: () => parts.log.info.permissions,
      rules: () => parts.log.info.rules ?? [],
      scope: { cwd: parts.log.info.cwd, protectedDirs: parts.protectedDirs },
      attended: parts.attended,
      limitMs: parts.limits.requestMs,
      clock: parts.clock,
      settle: (nativeId, response) => void this.#respond(nativeId, response).catch(fail),
    });
    const { requests } = this;
    const onSilence = (error: HalyardError) => this.#onSilence(error);
    const { log, limits, connection, redactor } = parts;
    this.#watch = new TurnWatch({ limits, log, requests, onSilence });
    this.#reader = new OutputReader(requests, parts);
    this.#record = new MessageRecord(log, redactor);
    this.#known = new KnownMessages(parts);
    this.#steering = new Steering(connection, this.#record, this.#known);
    if (parts.restored) this.#takeUp(parts.restored);
  }

  get current(): OpenTurn | undefined {
    return this.#current;
  }

  /** All that have not ended, the one under way first. */
  get open(): OpenTurn[] {
    return this.#current ? [this.#current, ...this.#queue] : [...this.#queue];
  }

  /** A message to this session by its id. */
  find(id: TurnId): KnownMessage | undefined {
    return this.#known.find(id);
  }

  /** The runtime takes messages from now on. */
  start(): void {
    this.#isOpen = true;
    this.#pump();
  }

  /** No further turn is begun. */
  stop(): void {
    this.#isOpen = false;
    this.#watch.stop();
  }

  /** The same, for turns that go on without us; a message on its way is given over first. */
  async letGo(): Promise<void> {
    this.stop();
    const current = this.#current;
    if (current?.stage === "sending") {
      const what = "handing over a message";
      await within("stop", HANDING_OVER_MS, what, current.accepted.promise).catch(() => {});
    }
    this.#isLetGo = true;
  }

  /** Begins the turn, or has it wait: behind the others, or before them once the one under way is interrupted. */
  submit(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    const running = this.#current;
    this.#known.add(turn.id, { turn, accepted: turn.accepted.promise });
    this.#queue.add(turn, { interrupt });
    this.#pump();
    if (this.#current === turn) return;
    void this.#announce(turn);
    if (!interrupt || !running) return;
    void this.end(running, { status: "cancelled", reason: "interrupted by a new message" });
  }

  /** Adds words to a turn under way. */
  steer(turn: OpenTurn, words: SteeredWords): Promise<Receipt> {
    return this.#steering.steer(turn, words);
  }

  /** Writes a batch of the runtime's output down, cut where turns end. */
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

  /** Makes a turn end for that cause, if it is the first, and waits until it has. */
  async end(turn: OpenTurn, cause: Cause): Promise<void> {
    if (turn.blame(cause)) {
      if (turn.stage === "queued") await this.close(turn).catch(this.#fail);
      else if (turn.stage === "running") await this.#interrupt(turn).catch(this.#fail);
      else this.#watch.expectEnd(); // of a message that the runtime has yet to take
    }
    await turn.outcome.promise;
  }

  /** The one way a turn ends. Whoever gets here first ends it. */
  async close(
    turn: OpenTurn,
    end: CompletionDraft = interrupted,
    before: readonly StoredEvent[] = [],
  ): Promise<void> {
    if (turn.stage === "closed") return;
    const unanswered = this.#current === turn ? this.requests.close() : [];
    this.#takeOut(turn);
    await turn.close(end, [...before, ...unanswered], (events) => this.#append(events, turn));
    this.#pump();
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

  /** A message that the store does not take for now is not sent, and may be sent again. Anything worse ends it all. */
  #refuse(turn: OpenTurn, error: unknown): void {
    if (isPassing(error)) {
      this.#takeOut(turn);
      this.#known.forget(turn.id);
      turn.settle(error);
      this.#pump();
    } else {
      this.#fail(error);
    }
  }

  /** Writes down a message that has to wait. */
  async #announce(turn: OpenTurn): Promise<void> {
    try {
      await this.#record.queued(turn);
    } catch (error) {
      if (turn.stage === "queued") this.#refuse(turn, error);
      return; // otherwise whoever begins it hears of it
    }
    turn.accepted.resolve({ status: "queued" });
  }

  /** Gives the runtime the next message, if it is free to take one. */
  #pump(): void {
    if (!this.#isOpen || this.#current) return;
    const turn = this.#queue.next();
    if (turn === undefined) return;
    this.#current = turn;
    turn.stage = "sending";
    void this.#begin(turn).catch(this.#fail);
  }

  async #begin(turn: OpenTurn): Promise<void> {
    const refusal = await this.#admission();
    if (turn.stage === "closed") return; // with its session
    if (this.#isLetGo) return this.#leave(turn);
    try {
      // The last thing before it is given to the runtime: what is on record as begun is not given again.
      await this.#record.started(turn, this.#reader.cursor);
    } catch (error) {
      if (turn.isOnRecord && isPassing(error)) return; // whoever takes the session up next begins it
      return this.#refuse(turn, error);
    }
    if (turn.cause) return this.close(turn);
    turn.startDeadline((error) => void this.end(turn, { status: "failed", error }));
    this.#watch.expectMore(turn);
    try {
      if (refusal) throw refusal.error;
      turn.accepted.resolve(await this.#connection.send({ turnId: turn.id, text: turn.text }));
    } catch (error) {
      if (this.#isLetGo) return;
      turn.blame({ status: "failed", error: toErrorInfo(error, "delivery_failed") });
      return this.close(turn);
    }
    if (turn.stage !== "sending") return;
    turn.stage = "running";
    if (turn.cause) await this.#interrupt(turn);
  }

  /** Undefined where a turn may begin now. */
  async #admission(): Promise<{ error: unknown } | undefined> {
    try {
      await this.#parts.admitTurn?.();
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** What is not on record yet is nobody's to begin. */
  #leave(turn: OpenTurn): void {
    if (turn.isOnRecord) return;
    this.#takeOut(turn);
    const message = "the session was let go of before the message was given to it: send it again";
    turn.settle(new HalyardError("session_stopped", message));
  }

  async #interrupt(turn: OpenTurn): Promise<void> {
    this.#watch.expectEnd();
    try {
      await this.#connection.cancel();
    } catch (error) {
      const text = `cancelling: ${toErrorInfo(error).message}`;
      await this.#append([{ type: "system", subtype: "warning", text }], turn);
    }
  }

  async #respond(nativeId: string, response: ResponseEvent): Promise<void> {
    await this.#append([this.#parts.redactor.redact(response)], this.#current);
    try {
      await this.#connection.answer(nativeId, answerOf(response));
    } catch (error) {
      if (!(error instanceof HalyardError && error.code === "request_not_found")) throw error;
      const text = `${response.requestId}: the runtime no longer waited for the answer`;
      await this.#append([{ type: "system", subtype: "warning", text }], this.#current);
    }
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

/** A runtime that has not taken a message by then may still do so, without us. */
const HANDING_OVER_MS = 2_000;

/** For a turn that ends by a cause of ours, which is what counts then. */
const interrupted: CompletionDraft = { type: "completion", status: "failed" };
