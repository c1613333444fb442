import type { Receipt } from "../schema/delivery.ts";
import type { RequestEvent, ResponseEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { Connection, Output } from "./adapter.ts";
import type { CompletionDraft } from "./draft.ts";
import { type HalyardError, toErrorInfo } from "./error.ts";
import type { EventLog } from "./event-log.ts";
import type { Cause, OpenTurn } from "./open-turn.ts";
import { OutputReader } from "./output-reader.ts";
import { Requests } from "./requests.ts";
import type { RestoredTurns } from "./restore.ts";
import type { SessionParts } from "./session-parts.ts";
import type { StoredEvent } from "./store.ts";
import { Watchdog, within } from "./watchdog.ts";

/** The turns of a session: one under way, the others waiting, each of them ended exactly once. */
export class Turns {
  readonly requests: Requests;
  readonly #parts: SessionParts;
  readonly #log: EventLog;
  readonly #connection: Connection;
  readonly #watchdog: Watchdog;
  readonly #reader: OutputReader;
  /** Turns that wait, the next one first. */
  readonly #queue: OpenTurn[] = [];
  /** Those that may be sent again by whoever did not hear of the first time. */
  readonly #known = new Map<TurnId, OpenTurn>();
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
      attended: parts.attended,
      limitMs: parts.limits.requestMs,
      clock: parts.clock,
      settle: (nativeId, response) => void this.#respond(nativeId, response).catch(fail),
    });
    this.#watchdog = new Watchdog((error) => this.#onSilence(error));
    this.#reader = new OutputReader(this.requests, parts);
    if (parts.restored) this.#takeUp(parts.restored);
  }

  get current(): OpenTurn | undefined {
    return this.#current;
  }

  /** All that have not ended, the one under way first. */
  get open(): OpenTurn[] {
    return this.#current ? [this.#current, ...this.#queue] : [...this.#queue];
  }

  /** A turn of this session by its id: any that is open, and the last of those that have ended. */
  find(id: TurnId): OpenTurn | undefined {
    return this.#known.get(id);
  }

  /** The runtime takes messages from now on. */
  start(): void {
    this.#isOpen = true;
    this.#pump();
  }

  /** No further turn is begun. */
  stop(): void {
    this.#isOpen = false;
    this.#watchdog.stop();
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
    this.#remember(turn);
    if (interrupt) this.#queue.unshift(turn);
    else this.#queue.push(turn);
    this.#pump();
    if (this.#current === turn) return;
    void this.#announce(turn).catch(this.#fail);
    if (!interrupt || !running) return;
    void this.end(running, { status: "cancelled", reason: "interrupted by a new message" });
  }

  /** Adds to a turn under way. */
  async steer(turn: OpenTurn, text: string): Promise<Receipt> {
    await turn.accepted.promise;
    try {
      await this.#append([{ type: "system", subtype: "turn_steered", text }], turn);
      return await this.#connection.steer({ turnId: turn.id, text });
    } catch (error) {
      return { status: "failed", error: toErrorInfo(error, "delivery_failed") };
    }
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
    if (this.#current) this.#watch(this.#current);
    await Promise.all(written);
    for (const request of asked) this.requests.decide(request);
  }

  /** Makes a turn end for that cause, if it is the first, and waits until it has. */
  async end(turn: OpenTurn, cause: Cause): Promise<void> {
    if (turn.blame(cause)) {
      if (turn.stage === "queued") await this.close(turn).catch(this.#fail);
      else if (turn.stage === "running") await this.#interrupt(turn).catch(this.#fail);
      else this.#awaitEnd(); // of a message that the runtime has yet to take
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
    const isCurrent = this.#current === turn;
    turn.stage = "closed";
    if (isCurrent) {
      this.#current = undefined;
      this.#watchdog.stop();
    } else {
      this.#queue.splice(this.#queue.indexOf(turn), 1);
    }
    const unanswered = isCurrent ? this.requests.close() : [];
    await turn.close(end, [...before, ...unanswered], (events) => this.#append(events, turn));
    this.#pump();
  }

  #remember(turn: OpenTurn): void {
    this.#known.set(turn.id, turn);
    if (this.#known.size <= KNOWN_TURNS) return;
    const [oldest] = [...this.#known.values()].filter(({ stage }) => stage === "closed");
    if (oldest) this.#known.delete(oldest.id);
  }

  /** Writes down a message that has to wait. */
  async #announce(turn: OpenTurn): Promise<void> {
    const event = { type: "system", subtype: "turn_queued", text: turn.text } as const;
    await this.#log.append(this.#parts.redactor.redact([event]), { turnId: turn.id });
    turn.accepted.resolve({ status: "queued" });
  }

  /** Gives the runtime the next message, if it is free to take one. */
  #pump(): void {
    if (!this.#isOpen || this.#current) return;
    const turn = this.#queue.shift();
    if (turn === undefined) return;
    this.#current = turn;
    turn.stage = "sending";
    void this.#begin(turn).catch(this.#fail);
  }

  async #begin(turn: OpenTurn): Promise<void> {
    const event = { type: "system", subtype: "turn_started", text: turn.text } as const;
    await this.#log.append(this.#parts.redactor.redact([event]), {
      turnId: turn.id,
      turnCursor: this.#reader.cursor,
    });
    if (turn.cause) return this.close(turn);
    turn.startDeadline((error) => void this.end(turn, { status: "failed", error }));
    this.#watch(turn);
    try {
      if (this.#parts.admitTurn) await this.#parts.admitTurn();
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

  async #interrupt(turn: OpenTurn): Promise<void> {
    this.#awaitEnd();
    try {
      await this.#connection.cancel();
    } catch (error) {
      const text = `cancelling: ${toErrorInfo(error).message}`;
      await this.#append([{ type: "system", subtype: "warning", text }], turn);
    }
  }

  /** A runtime that does not come to an end by then is ended itself. */
  #awaitEnd(): void {
    const what = `waiting for ${this.#log.info.runtime} to end the turn it was asked to end`;
    this.#watchdog.watch("cancel", this.#parts.limits.cancelMs, what);
  }

  async #respond(nativeId: string, response: ResponseEvent): Promise<void> {
    await this.#append([response], this.#current);
    const { type, requestId, by, ...answer } = response;
    await this.#connection.answer(nativeId, answer);
  }

  #append(events: readonly StoredEvent[], turn: OpenTurn | undefined): Promise<void> {
    return this.#log.append(events, { turnId: turn?.id, cursor: this.#reader.cursor });
  }

  /** Expects the next sign of life, unless a tool or a person is what the turn waits for. */
  #watch(turn: OpenTurn): void {
    if (turn.cause) return;
    const { limits } = this.#parts;
    const { runtime } = this.#log.info;
    if (turn.ledger.hasOpenCall || this.requests.size > 0) {
      this.#watchdog.stop();
    } else if (turn.ledger.hasBegun) {
      this.#watchdog.watch("progress", limits.progressMs, `waiting for ${runtime} to go on`);
    } else {
      const what = `waiting for ${runtime}'s first output`;
      this.#watchdog.watch("first_output", limits.firstOutputMs, what);
    }
  }

  #onSilence(error: HalyardError): void {
    if (error.phase === "cancel" || !this.#current) this.#fail(error);
    else void this.end(this.#current, { status: "failed", error: toErrorInfo(error) });
  }

  #takeUp({ current, queue, requests }: RestoredTurns): void {
    this.#current = current;
    this.#queue.push(...queue);
    for (const turn of this.open) this.#remember(turn);
    for (const request of requests) {
      this.requests.restore(request);
      this.requests.decide(request);
    }
    if (!current) return;
    current.startDeadline((error) => void this.end(current, { status: "failed", error }));
    this.#watch(current);
  }
}

/** A runtime that has not taken a message by then may still do so, without us. */
const HANDING_OVER_MS = 2_000;

/** How many turns a message can be sent again for. */
const KNOWN_TURNS = 256;

/** For a turn that ends by a cause of ours, which is what counts then. */
const interrupted: CompletionDraft = { type: "completion", status: "failed" };
