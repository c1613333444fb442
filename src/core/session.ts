import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { Answer } from "../schema/permission.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import { createDeferred } from "./deferred.ts";
import { endRuntime, type Unended } from "./end-runtime.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import { noOutput } from "./event-log.ts";
import { eventsOf } from "./events-of.ts";
import { firstEvents } from "./first-events.ts";
import type { FollowOptions, InterruptOptions, SendOptions, Session, Turn } from "./halyard.ts";
import { isTurnId, newTurnId, noTurnId, requireRequestId, requireTurnId } from "./id.ts";
import { endingBy, goneError, lastEvents } from "./last-events.ts";
import { type MessageOptions, messageProblem } from "./message-problem.ts";
import { type Cause, OpenTurn } from "./open-turn.ts";
import { parseInput } from "./parse-input.ts";
import { refusedTurn } from "./refused-turn.ts";
import { requireSame } from "./same-conversation.ts";
import type { SessionParts } from "./session-parts.ts";
import { settingsIn } from "./settings-in.ts";
import type { StoredEvent } from "./store.ts";
import { Turns } from "./turns.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { within } from "./watchdog.ts";

/** A runtime that is well answers in far less. */
const PING_MS = 10_000;

/** A session this process runs: what is sent goes to its connection, what happens goes to its log. */
export class LiveSession implements Session {
  readonly id: SessionId;
  readonly opened: Session["opened"];
  readonly openedAfter: number;
  readonly #parts: SessionParts;
  readonly #turns: Turns;
  readonly #recording: Promise<unknown>;
  readonly #ready: Promise<void>;
  #isReady = false;
  /** Given when the session begins to end, with the reason. */
  readonly #gone = new AbortController();
  /** Kept once the runtime has ended, or goes on without us. */
  readonly #released = createDeferred<void>();
  /** Kept once all changes so far are made, or have failed. */
  #updated: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | undefined;
  /** It ends for us alone. */
  #isLetGo = false;
  /** Why the runtime could not be ended: its host does not answer. */
  #unreachable: HalyardError | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.log.info.id;
    this.opened = parts.opened;
    this.openedAfter = parts.log.info.lastSeq;
    this.#turns = new Turns(parts, this.#fail);
    this.#recording = this.#record();
    void this.#recording.then(this.#fail);
    this.#ready = this.#becomeReady();
    this.#ready.catch(() => {}); // whoever asks `ready()` learns of it, and the log has it in any case
  }

  get info(): SessionInfo {
    return this.#parts.log.info;
  }

  /** Its end has begun. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves once the end that has begun is on record; rejects where a full or locked store makes it wait. */
  async ended(): Promise<void> {
    if (this.#ending !== undefined) await this.#parts.log.unlessHeldUp(this.#ending);
  }

  async ready(): Promise<void> {
    if (!this.#isReady) await this.#parts.log.unlessHeldUp(this.#ready);
  }

  send(text: string, options: SendOptions = {}): Turn {
    const { delivery = "queue", signal, timeoutMs = this.#parts.limits.turnMs } = options;
    const { id = newTurnId() } = options;
    if (!isTurnId(id)) return refusedTurn(noTurnId(id));
    const running = this.#turns.current;
    const known = this.#turns.find(id);
    if (known) return this.#view(known.turn, known.accepted);
    const refusal = this.#refusal(text, { delivery, timeoutMs }, signal);
    if (refusal) return refusedTurn(refusal);
    if (delivery === "steer" && running) {
      if (!this.#can("steer")) return refusedTurn(this.#unsupported("steer"));
      return this.#view(running, this.#turns.steer(running, { id, text }));
    }
    const { clock, redactor } = this.#parts;
    const after = this.info.lastSeq;
    const { fallback } = this.info;
    const hasOwnLimit = options.timeoutMs !== undefined;
    const parts = { clock, redactor, timeoutMs, hasOwnLimit, after, fallback };
    const turn = new OpenTurn(id, text, parts);
    this.#turns.submit(turn, { interrupt: delivery === "interrupt" });
    if (signal) this.#obey(signal, turn);
    return this.#view(turn, turn.accepted.promise);
  }

  async interrupt({ reason = "interrupted", ...options }: InterruptOptions = {}): Promise<void> {
    const turnId = requireTurnId(options.turnId);
    const [first] = this.#turns.open;
    const turn = turnId === undefined ? first : this.#turns.open.find(({ id }) => id === turnId);
    if (turn) await this.#cancel(turn, reason);
  }

  async ping(): Promise<void> {
    await this.#ready;
    const answer = unlessAborted(this.#answer(), this.#gone.signal);
    await within("ping", PING_MS, `waiting for ${this.info.runtime} to answer`, answer);
  }

  /** One after the other, so that the log has them in the order in which the runtime was told. */
  update(changes: SessionChanges): Promise<SessionInfo> {
    const updated = this.#updated.then(() => this.#update(changes));
    this.#updated = updated.catch(() => {}); // for whoever comes next
    return updated;
  }

  async #update(changes: SessionChanges): Promise<SessionInfo> {
    const { connection, log, redactor } = this.#parts;
    const settings = settingsIn(this.info, changes);
    if (Object.keys(settings).length > 0) {
      if (!connection.configure) throw this.#unsupported(`changing ${Object.keys(settings)}`);
      await this.#ready;
      await connection.configure(settings);
    }
    const data = redactor.redact(changes);
    await log.append([{ type: "system", subtype: "session_changed", data }]);
    return this.info;
  }

  async answer(requestId: string, answer: Answer): Promise<void> {
    this.#turns.requests.answer(requireRequestId(requestId), parseInput(Answer, answer));
  }

  events(options?: FollowOptions): AsyncIterable<StreamEvent> {
    return this.#parts.log.follow(options);
  }

  batches(options?: FollowOptions): AsyncIterable<readonly StreamEvent[]> {
    return this.#parts.log.followBatches(options);
  }

  async detach(): Promise<void> {
    if (!this.#can("attach")) throw this.#unsupported("attach");
    this.#isLetGo ||= this.#ending === undefined;
    this.#ending ??= this.#letGo();
    await this.ended();
  }

  async stop(reason = "stopped"): Promise<void> {
    this.#ending ??= this.#wrapUp(reason, { status: "cancelled", reason });
    await this.#released.promise;
    await this.ended();
    if (this.#unreachable) throw this.#unreachable;
    if (this.#isLetGo) await this.#parts.stopElsewhere(reason);
  }

  /** For an end that a store holds up, and that nobody can wait for: what the log lacks is found as after a crash. */
  async giveUp(): Promise<void> {
    this.#parts.log.giveUp();
    await this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#isLetGo ? this.ended() : this.stop("disposed");
  }

  #refusal(
    text: string,
    options: MessageOptions,
    signal: AbortSignal | undefined,
  ): HalyardError | undefined {
    if (signal?.aborted) return new HalyardError("cancelled", "cancelled before it was sent");
    const problem = messageProblem(text, options);
    if (problem) return new HalyardError("invalid_input", problem);
    if (!this.#ending) return undefined;
    return new HalyardError("session_stopped", `${this.id} has ended; resume it to go on`);
  }

  #can(capability: Capability): boolean {
    return this.#parts.capabilities.includes(capability);
  }

  #unsupported(what: string): HalyardError {
    return new HalyardError("unsupported", `${this.info.runtime} cannot do this: ${what}`);
  }

  #obey(signal: AbortSignal, turn: OpenTurn): void {
    const onAbort = () => void this.#turns.end(turn, { status: "cancelled", reason: "aborted" });
    signal.addEventListener("abort", onAbort, { once: true });
    void turn.outcome.promise.then(() => signal.removeEventListener("abort", onAbort));
  }

  #view(turn: OpenTurn, accepted: Promise<Receipt>): Turn {
    return {
      id: turn.id,
      accepted,
      outcome: turn.outcome.promise,
      cancel: (reason = "cancelled") => this.#cancel(turn, reason),
      [Symbol.asyncIterator]: () => eventsOf(turn, this.#parts.log),
    };
  }

  /** Rejects if the runtime cannot react at present. Then the turn goes on. */
  async #cancel(turn: OpenTurn, reason: string): Promise<void> {
    if (turn.stage !== "closed" && turn.stage !== "queued") await this.#parts.requireResponsive?.();
    await this.#turns.end(turn, { status: "cancelled", reason });
  }

  async #becomeReady(): Promise<void> {
    const { connection, limits, log } = this.#parts;
    const what = `waiting for ${this.info.runtime} to get ready`;
    try {
      const ready = unlessAborted(connection.ready(), this.#gone.signal);
      const handshake = await within("ready", limits.readyMs, what, ready);
      if (this.opened !== "started") requireSame(this.info, handshake.runtimeSessionId);
      await log.append(firstEvents(handshake, this.opened), { waits: true });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#isReady = true;
    if (!this.#ending) this.#turns.start();
  }

  async #answer(): Promise<void> {
    await this.#parts.connection.ping?.();
  }

  /** Runs for as long as the runtime does; resolves with the reason of its end. */
  async #record(): Promise<unknown> {
    try {
      for await (const batch of this.#parts.connection.output) await this.#turns.take(batch);
      return new HalyardError("agent_exited", `${this.info.runtime} has ended`);
    } catch (error) {
      return error;
    }
  }

  /** The session cannot go on: loudly, and leaving nothing behind. */
  readonly #fail = (reason: unknown): void => {
    const error = toErrorInfo(reason, "agent_failed");
    this.#ending ??= this.#wrapUp(error.message, { status: "failed", error });
  };

  async #wrapUp(reason: string, cause: Cause): Promise<void> {
    const { connection, log, redactor, release } = this.#parts;
    this.#gone.abort(goneError(this.id, reason, cause));
    const turns = this.#turns.open;
    for (const turn of turns) turn.blame(cause);
    this.#turns.stop();
    const unended = await endRuntime(connection, this.info.runtime);
    if (unended?.unreachable) return this.#letGo(unended); // on record as detached, to be stopped later
    this.#released.resolve();
    try {
      if (!unended) await this.#recording;
      for (const turn of turns) await this.#turns.close(turn);
      const last = lastEvents(endingBy(cause, reason), { isTold: turns.length > 0 });
      const events = [...(unended ? [unended.warning] : []), ...last];
      await log.append(redactor.redact(events), { ...noOutput, waits: true });
    } catch (error) {
      // A log that cannot be written may be why we are here: the outcomes have told of it.
      for (const turn of turns) turn.settle(error);
    } finally {
      await release({ isLeftRunning: unended !== undefined });
    }
  }

  /** Leaves the runtime running: because that was asked for, or because its host does not answer and it cannot be ended. */
  async #letGo(unended?: Unended): Promise<void> {
    const { connection, log, redactor, outlive, release } = this.#parts;
    this.#unreachable = unended?.unreachable;
    this.#gone.abort(new HalyardError("session_stopped", `${this.id} was detached`));
    if (!unended) log.giveUp(); // what the log lacks is read again by whoever takes it up
    try {
      await this.#turns.letGo();
      if (unended)
        await connection.detach().catch(() => {}); // its end has begun
      else await connection.detach().then(() => this.#recording);
      const detached: StoredEvent = { type: "system", subtype: "session_detached" };
      await log.append(unended ? redactor.redact([unended.warning, detached]) : [detached]);
    } finally {
      this.#released.resolve();
      await release({ isLeftRunning: true });
      for (const turn of this.#turns.open) outlive(turn);
    }
  }
}
