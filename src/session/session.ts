import { createDeferred } from "../async/deferred.ts";
import type { Session } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { StoredEvent } from "../contracts/store.ts";
import type { CompactOptions, InterruptOptions, SendOptions, Turn } from "../contracts/turn.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import {
  isTurnId,
  malformedTurnId,
  newTurnId,
  requireRequestId,
  requireTurnId,
} from "../errors/require-id.ts";
import { sessionEnded } from "../errors/session-ended.ts";
import { refusedTurn } from "../halyard/refused-turn.ts";
import { noOutput } from "../log/event-log.ts";
import type { MessageInput } from "../schema/attachment.ts";
import type { ForkOptions } from "../schema/conversation/fork-options.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import { Answer } from "../schema/permission.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Rewound } from "../schema/workspace/checkpoint.ts";
import { keepAttachments, readMessage } from "./attachments/accept-message.ts";
import { changeSession, unsupported } from "./change-session.ts";
import { endRuntime, type Unended } from "./end-runtime.ts";
import { performHandshake } from "./handshake.ts";
import { messageError, noCheckpointsError, steeredSchemaError } from "./message-error.ts";
import { endingBy, goneError, lastEvents } from "./recovery/last-events.ts";
import { listCommands, pingRuntime } from "./runtime-queries.ts";
import type { SessionParts } from "./session-parts.ts";
import { viewTurn } from "./turn-view.ts";
import { cancelOnAbort } from "./turns/cancel-on-abort.ts";
import { newTurn } from "./turns/new-turn.ts";
import type { Cause, OpenTurn } from "./turns/open-turn.ts";
import { pumpOutput } from "./turns/pump-output.ts";
import { steerable } from "./turns/steering.ts";
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
  /** Aborted with the reason as soon as the session begins to end. */
  readonly #gone = new AbortController();
  /** Resolves when the runtime has ended or this process has detached from it. */
  readonly #released = createDeferred<void>();
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
    this.#ready.catch(() => {}); // `ready()` reports the error to callers
  }

  get info(): SessionInfo {
    return this.#parts.log.info;
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves when the session, if it is ending, has recorded its end. Rejects if the store temporarily cannot be written. */
  async ended(): Promise<void> {
    if (this.#ending !== undefined) await this.#parts.log.unlessBlocked(this.#ending);
  }

  async ready(): Promise<void> {
    if (!this.#isReady) await this.#parts.log.unlessBlocked(this.#ready);
  }

  send(message: string | MessageInput, options: SendOptions = {}): Turn {
    return this.#submit(message, options);
  }

  compact(options: CompactOptions = {}): Turn {
    if (!this.#can("compact")) return refusedTurn(unsupported(this.info, "compact"));
    return this.#submit("/compact", options, { isCompaction: true });
  }

  async commands(): Promise<SlashCommand[]> {
    if (!this.#can("commands")) throw unsupported(this.info, "commands");
    return listCommands(this.#parts, this.#gone.signal);
  }

  async fork(options: ForkOptions = {}): Promise<Session> {
    if (!this.#can("fork")) throw unsupported(this.info, "fork");
    return this.#turns.hold(() => this.#parts.fork(options));
  }

  #submit(
    message: string | MessageInput,
    options: SendOptions,
    { isCompaction = false }: { isCompaction?: boolean } = {},
  ): Turn {
    const { delivery = "queue", signal, timeoutMs = this.#parts.limits.turnMs } = options;
    const { id = newTurnId(), traceparent } = options;
    if (!isTurnId(id)) return refusedTurn(malformedTurnId(id));
    const running = steerable(this.#turns.open);
    const known = this.#turns.known.find(id);
    if (known) return this.#view(known.turn, known.accepted);
    const read = readMessage(message, this.#parts);
    if (read instanceof HalyardError) return refusedTurn(read);
    const { text, answer } = read;
    const refusal =
      messageError(text, { delivery, timeoutMs, signal, traceparent }) ?? this.#endedError();
    if (refusal) return refusedTurn(refusal);
    const isSteer = delivery === "steer" && running !== undefined;
    if (isSteer && !this.#can("steer")) return refusedTurn(unsupported(this.info, "steer"));
    if (isSteer && answer) return refusedTurn(steeredSchemaError());
    const problem = keepAttachments(read, this.#parts);
    if (problem) return refusedTurn(problem);
    const attachments = read.attached.map(({ attachment }) => attachment);
    if (isSteer)
      return this.#view(running, this.#turns.steering.steer(running, { id, text, attachments }));
    const turn = newTurn(this.#parts, { id, options, text, attachments, answer, isCompaction });
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
    await pingRuntime(this.#parts, this.#gone.signal);
  }

  /** Applies changes one at a time, so that the log contains them in the order in which the runtime received them. */
  update(changes: SessionChanges): Promise<SessionInfo> {
    const updated = this.#updated.then(() => changeSession(this.#parts, changes, this.#ready));
    this.#updated = updated.catch(() => {}); // the next update must not fail because of this one
    return updated;
  }

  async answer(requestId: string, answer: Answer): Promise<void> {
    this.#turns.requests.answer(requireRequestId(requestId), parseInput(Answer, answer));
  }

  /** Resolves when the checkpoints of all ended turns are recorded or have failed. */
  settleCheckpoints(): Promise<void> {
    return this.#parts.checkpoints?.settled() ?? Promise.resolve();
  }

  /** Restores a checkpoint's files. Rejects if there are no checkpoints, or while a turn, a fork or another rewind runs. */
  async rewind(commit: string): Promise<Rewound> {
    const { checkpoints } = this.#parts;
    if (checkpoints === undefined) throw noCheckpointsError(this.id);
    return this.#turns.hold(() => checkpoints.rewind(commit));
  }

  events(options?: FollowOptions): AsyncIterable<StreamEvent> {
    return this.#parts.log.follow(options);
  }

  batches(options?: FollowOptions): AsyncIterable<readonly StreamEvent[]> {
    return this.#parts.log.followBatches(options);
  }

  async detach(): Promise<void> {
    if (!this.#can("attach")) throw unsupported(this.info, "attach");
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
   * Stops waiting for a store that temporarily cannot be written. Recovery handles the events that are missing from the
   * log, as after a crash.
   */
  async giveUp(): Promise<void> {
    this.#parts.log.giveUp();
    await this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#isDetached ? this.ended() : this.stop("disposed");
  }

  #endedError(): HalyardError | undefined {
    return this.#ending && sessionEnded(this.id);
  }

  #can(capability: Capability): boolean {
    return this.#parts.capabilities.includes(capability);
  }

  #view(turn: OpenTurn, accepted: Promise<Receipt>): Turn {
    return viewTurn(turn, { log: this.#parts.log, accepted, cancel: this.#cancel });
  }

  /** Cancels a turn. If the runtime currently cannot respond, rejects and the turn continues. */
  readonly #cancel = async (turn: OpenTurn, reason: string): Promise<void> => {
    if (turn.stage !== "closed" && turn.stage !== "queued") await this.#parts.requireResponsive?.();
    await this.#turns.end(turn, { status: "cancelled", reason });
  };

  async #becomeReady(): Promise<void> {
    try {
      await performHandshake(this.#parts, this.#gone.signal);
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
    // record the session as detached, so that it can be stopped later
    if (unended?.unreachable) return this.#leaveRunning(unended);
    this.#released.resolve();
    try {
      if (!unended) await this.#pump;
      for (const turn of turns) await this.#turns.close(turn);
      if (cause.status !== "failed") await checkpoints?.finish();
      const last = lastEvents(endingBy(cause, reason), { isReported: turns.length > 0 });
      const events = redactor.redact(unended ? [unended.warning, ...last] : last);
      await log.append(events, { ...noOutput, waits: true });
      // A failed session finishes its checkpoints last, so that callers can resume it in the meantime.
      await checkpoints?.finish();
    } catch (error) {
      // The log itself may have failed, so the outcomes of the turns contain the error.
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
    this.#gone.abort(sessionEnded(this.id, "was detached"));
    if (!unended) log.giveUp(); // the next owner reads the output that is not in the log
    try {
      await this.#turns.handOver();
      await abandoned;
      if (unended)
        await connection.detach().catch(() => {}); // fails if the connection is already being stopped
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
