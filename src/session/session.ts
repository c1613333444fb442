import { createDeferred } from "../async/deferred.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { within } from "../async/watchdog.ts";
import type { InterruptOptions, SendOptions, Session, Turn } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { StoredEvent } from "../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import {
  isTurnId,
  malformedTurnId,
  newTurnId,
  requireRequestId,
  requireTurnId,
} from "../errors/require-id.ts";
import { refusedTurn } from "../halyard/refused-turn.ts";
import { noOutput } from "../log/event-log.ts";
import type { MessageInput } from "../schema/attachment.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { Answer } from "../schema/permission.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { Rewound } from "../schema/workspace/checkpoint.ts";
import { keepAttachments, readMessage } from "./attachments/accept-message.ts";
import { endRuntime, type Unended } from "./end-runtime.ts";
import { firstEvents, requireSameConversation } from "./handshake.ts";
import { messageError } from "./message-error.ts";
import { endingBy, goneError, lastEvents } from "./recovery/last-events.ts";
import type { SessionParts } from "./session-parts.ts";
import { settingsIn } from "./settings-in.ts";
import { viewTurn } from "./turn-view.ts";
import { cancelOnAbort } from "./turns/cancel-on-abort.ts";
import { type Cause, OpenTurn } from "./turns/open-turn.ts";
import { pumpOutput } from "./turns/pump-output.ts";
import { Turns } from "./turns/turns.ts";

/** A session that this process runs. Sends messages to the connection and writes events to the log. */
export class LiveSession implements Session {
  readonly id: SessionId;
  readonly opened: Session["opened"];
  readonly openedAfter: number;
  readonly #parts: SessionParts;
  readonly #turns: Turns;
  readonly #pump: Promise<unknown>;
  readonly #ready: Promise<void>;
  #isReady = false;
  /** Aborted with the reason when the session starts to end. */
  readonly #gone = new AbortController();
  /** Resolves when the runtime has ended or this process has detached from it. */
  readonly #released = createDeferred<void>();
  /** Resolves when all changes so far are applied or have failed. */
  #updated: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | undefined;
  /** True if this process detached and the runtime keeps running. */
  #isDetached = false;
  /** Set if the runtime could not be stopped because its host does not respond. */
  #unreachable: HalyardError | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.log.info.id;
    this.opened = parts.opened;
    this.openedAfter = parts.log.info.lastSeq;
    this.#turns = new Turns(parts, this.#fail);
    this.#pump = pumpOutput(parts, this.#turns);
    void this.#pump.then(this.#fail);
    this.#ready = this.#becomeReady();
    parts.checkpoints?.start(this.#ready);
    this.#ready.catch(() => {}); // `ready()` rejects with the error, and the log contains it
  }

  get info(): SessionInfo {
    return this.#parts.log.info;
  }

  /** True if the session is ending or has ended. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves when the end of the session is recorded. Rejects if a full or locked store delays it. */
  async ended(): Promise<void> {
    if (this.#ending !== undefined) await this.#parts.log.unlessBlocked(this.#ending);
  }

  async ready(): Promise<void> {
    if (!this.#isReady) await this.#parts.log.unlessBlocked(this.#ready);
  }

  send(message: string | MessageInput, options: SendOptions = {}): Turn {
    const { delivery = "queue", signal, timeoutMs = this.#parts.limits.turnMs } = options;
    const { id = newTurnId() } = options;
    if (!isTurnId(id)) return refusedTurn(malformedTurnId(id));
    const running = this.#turns.current;
    const known = this.#turns.find(id);
    if (known) return this.#view(known.turn, known.accepted);
    const read = readMessage(message, this.#parts);
    if (read instanceof HalyardError) return refusedTurn(read);
    const { text } = read;
    const refusal = messageError(text, { delivery, timeoutMs, signal }) ?? this.#endedError();
    if (refusal) return refusedTurn(refusal);
    const isSteer = delivery === "steer" && running !== undefined;
    if (isSteer && !this.#can("steer")) return refusedTurn(this.#unsupported("steer"));
    const problem = keepAttachments(read, this.#parts);
    if (problem) return refusedTurn(problem);
    const attachments = read.attached.map(({ attachment }) => attachment);
    if (isSteer) return this.#view(running, this.#turns.steer(running, { id, text, attachments }));
    const { clock, redactor } = this.#parts;
    const { lastSeq: after, fallback } = this.info;
    const hasOwnLimit = options.timeoutMs !== undefined;
    const parts = { clock, redactor, timeoutMs, hasOwnLimit, after, fallback, attachments };
    const turn = new OpenTurn(id, text, parts);
    this.#turns.submit(turn, { interrupt: delivery === "interrupt" });
    if (signal) cancelOnAbort(this.#turns, turn, signal);
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
    const answer = unlessAborted(
      Promise.resolve(this.#parts.connection.ping?.()),
      this.#gone.signal,
    );
    await within("ping", 10_000, `waiting for ${this.info.runtime} to respond`, answer);
  }

  /** Applies changes one after the other, so that the log has them in the order in which the runtime received them. */
  update(changes: SessionChanges): Promise<SessionInfo> {
    const updated = this.#updated.then(() => this.#update(changes));
    this.#updated = updated.catch(() => {}); // the next update must not fail because of this one
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

  /** Resolves when the checkpoints of all ended turns are recorded. */
  settleCheckpoints(): Promise<void> {
    return this.#parts.checkpoints?.settled() ?? Promise.resolve();
  }

  /** Restores the files of a checkpoint. Rejects while a turn runs. */
  async rewind(commit: string): Promise<Rewound> {
    const { checkpoints } = this.#parts;
    if (checkpoints === undefined) throw this.#unsupported("rewind without checkpoints");
    return this.#turns.hold(() => checkpoints.rewind(commit));
  }

  events(options?: FollowOptions): AsyncIterable<StreamEvent> {
    return this.#parts.log.follow(options);
  }

  batches(options?: FollowOptions): AsyncIterable<readonly StreamEvent[]> {
    return this.#parts.log.followBatches(options);
  }

  async detach(): Promise<void> {
    if (!this.#can("attach")) throw this.#unsupported("attach");
    this.#isDetached ||= this.#ending === undefined;
    this.#ending ??= this.#leaveRunning();
    await this.ended();
  }

  async stop(reason = "stopped"): Promise<void> {
    this.#ending ??= this.#wrapUp(reason, { status: "cancelled", reason });
    await this.#released.promise;
    await this.ended();
    if (this.#unreachable) throw this.#unreachable;
    if (this.#isDetached) await this.#parts.stopElsewhere(reason);
  }

  /**
   * Stops waiting for a full or locked store. Events that are missing in the log are handled by recovery, as after a
   * crash.
   */
  async giveUp(): Promise<void> {
    this.#parts.log.giveUp();
    await this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#isDetached ? this.ended() : this.stop("disposed");
  }

  #endedError(): HalyardError | undefined {
    if (!this.#ending) return undefined;
    return new HalyardError("session_stopped", `${this.id} has ended; resume it to continue`);
  }

  #can(capability: Capability): boolean {
    return this.#parts.capabilities.includes(capability);
  }

  #unsupported(what: string): HalyardError {
    return new HalyardError("unsupported", `${this.info.runtime} does not support this: ${what}`);
  }

  #view(turn: OpenTurn, accepted: Promise<Receipt>): Turn {
    return viewTurn(turn, { log: this.#parts.log, accepted, cancel: this.#cancel });
  }

  /** Rejects if the runtime cannot respond at present. The turn then continues. */
  readonly #cancel = async (turn: OpenTurn, reason: string): Promise<void> => {
    if (turn.stage !== "closed" && turn.stage !== "queued") await this.#parts.requireResponsive?.();
    await this.#turns.end(turn, { status: "cancelled", reason });
  };

  async #becomeReady(): Promise<void> {
    const { connection, limits, log } = this.#parts;
    const what = `waiting for ${this.info.runtime} to become ready`;
    try {
      const ready = unlessAborted(connection.ready(), this.#gone.signal);
      const handshake = await within("ready", limits.readyMs, what, ready);
      if (this.opened !== "started") requireSameConversation(this.info, handshake.runtimeSessionId);
      await log.append(firstEvents(handshake, this.opened), { waits: true });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#isReady = true;
    if (!this.#ending) this.#turns.start();
  }

  /** Ends the session with an error. */
  readonly #fail = (reason: unknown): void => {
    const error = toErrorInfo(reason, "agent_failed");
    this.#ending ??= this.#wrapUp(error.message, { status: "failed", error });
  };

  async #wrapUp(reason: string, cause: Cause): Promise<void> {
    const { checkpoints, connection, log, redactor, release } = this.#parts;
    this.#gone.abort(goneError(this.id, reason, cause));
    const turns = this.#turns.open;
    for (const turn of turns) turn.blame(cause);
    this.#turns.stop();
    const unended = await endRuntime(connection, this.info.runtime);
    if (unended?.unreachable) return this.#leaveRunning(unended); // recorded as detached, so that it can be stopped later
    this.#released.resolve();
    try {
      if (!unended) await this.#pump;
      for (const turn of turns) await this.#turns.close(turn);
      if (cause.status !== "failed") await checkpoints?.finish();
      const last = lastEvents(endingBy(cause, reason), { isReported: turns.length > 0 });
      const events = redactor.redact(unended ? [unended.warning, ...last] : last);
      await log.append(events, { ...noOutput, waits: true });
      await checkpoints?.finish(); // of a crash: last, so that callers can resume the session at once
    } catch (error) {
      // The log may be what failed. The outcomes of the turns contain the error.
      for (const turn of turns) turn.settle(error);
    } finally {
      await release({ isLeftRunning: unended !== undefined });
    }
  }

  /** Leaves the runtime running, either on request or because its host does not respond and it cannot be stopped. */
  async #leaveRunning(unended?: Unended): Promise<void> {
    const { checkpoints, connection, log, redactor, finishElsewhere, release } = this.#parts;
    const abandoned = checkpoints?.abandon();
    this.#unreachable = unended?.unreachable;
    this.#gone.abort(new HalyardError("session_stopped", `${this.id} was detached`));
    if (!unended) log.giveUp(); // the next owner reads the missing output again
    try {
      await this.#turns.handOver();
      await abandoned;
      if (unended)
        await connection.detach().catch(() => {}); // it is already being stopped
      else await connection.detach().then(() => this.#pump);
      const detached: StoredEvent = { type: "system", subtype: "session_detached" };
      await log.append(unended ? redactor.redact([unended.warning, detached]) : [detached]);
    } finally {
      this.#released.resolve();
      await release({ isLeftRunning: true });
      for (const turn of this.#turns.open) finishElsewhere(turn);
    }
  }
}
