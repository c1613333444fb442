import type { Session } from "../contracts/halyard.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { CompactOptions, InterruptOptions, SendOptions, Turn } from "../contracts/turn.ts";
import { fromErrorInfo, HalyardError } from "../errors/error.ts";
import {
  isTurnId,
  malformedTurnId,
  newTurnId,
  requireRequestId,
  requireTurnId,
} from "../errors/require-id.ts";
import { sessionEnded } from "../errors/session-ended.ts";
import { refusedTurn } from "../halyard/refused-turn.ts";
import { hasEnded } from "../log/projection.ts";
import type { MessageInput } from "../schema/attachment.ts";
import type { ForkOptions } from "../schema/conversation/fork-options.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { OpenedSession, SentTurn } from "../schema/http/http.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { Answer } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { HttpConnection } from "./connection.ts";
import { followEvents } from "./follow-events.ts";
import { readResponse } from "./read-response.ts";
import { lostTurn, RemoteTurn } from "./remote-turn.ts";
import {
  commandListShape,
  openedSessionShape,
  sentTurnShape,
  sessionShape,
} from "./response-shapes.ts";
import { SessionMirror } from "./session-mirror.ts";
import { steeringTurn } from "./steering-turn.ts";

/** The number of turns to remember, so that a repeated message is not sent twice. Running turns are always remembered. */
const KNOWN_TURNS = 256;

/** The delay before the client follows a detached session again, in milliseconds. */
const AGAIN_MS = 50;

/** A client's handle of a session that a server runs. */
export class RemoteSession implements Session {
  readonly id: SessionId;
  readonly opened: Session["opened"];
  readonly openedAfter: number;
  readonly #connection: HttpConnection;
  readonly #mirror: SessionMirror;
  readonly #watched: Set<RemoteSession>;
  readonly #turns = new Map<TurnId, RemoteTurn>();
  /** Settles when the server has received the previous message or the message could not be sent. Messages keep their order. */
  #arrivals: Promise<unknown> = Promise.resolve();
  #isReady: boolean;
  /** The error that ended the event stream, if any. */
  #broken: unknown;

  /** The session adds itself to `watched` while it follows its events. */
  constructor(
    connection: HttpConnection,
    { opened, openedAfter, ...info }: OpenedSession,
    watched: Set<RemoteSession>,
  ) {
    this.id = info.id;
    this.opened = opened;
    this.openedAfter = openedAfter;
    this.#isReady = info.state !== "starting" && !hasEnded(info);
    this.#connection = connection;
    this.#watched = watched;
    this.#mirror = new SessionMirror(connection, {
      info,
      onEvent: (event) => this.#onEvent(event),
      onEnd: (error) => this.#onEnd(error),
    });
    this.#watch();
  }

  get info(): SessionInfo {
    return this.#mirror.info;
  }

  /** True if this is the handle of the given session, and the session was not opened again, for example by a resume. */
  isSame({ id, opened, openedAfter }: OpenedSession): boolean {
    return this.id === id && this.opened === opened && this.openedAfter === openedAfter;
  }

  /** Replaces the state of the session with the state that the server returned, unless the returned state is older. */
  adopt(info: SessionInfo): void {
    this.#mirror.adopt(info);
  }

  async ready(): Promise<void> {
    await this.#mirror.until(() => this.#isReady || hasEnded(this.info));
    if (this.#isReady) return;
    const { reason, error } = this.info;
    if (!hasEnded(this.info)) throw lostTurn(this.#broken);
    if (error) throw fromErrorInfo(error);
    throw sessionEnded(this.id, reason === undefined ? "has ended" : `has ended (${reason})`);
  }

  send(message: string | MessageInput, options: SendOptions = {}): Turn {
    const { signal, delivery, id = newTurnId() } = options;
    if (!isTurnId(id)) return refusedTurn(malformedTurnId(id));
    const known = this.#turns.get(id);
    if (known) return known;
    if (signal?.aborted) {
      return refusedTurn(
        new HalyardError("cancelled", "The message was cancelled before it was sent."),
      );
    }
    const after = options.id === undefined ? this.info.lastSeq : 0;
    if (delivery === "steer") return this.#steer(id, message, after, options);
    return this.#begin(this.#track(id, after), this.#post(id, message, options), signal);
  }

  compact({ id = newTurnId(), signal, timeoutMs }: CompactOptions = {}): Turn {
    if (!isTurnId(id)) return refusedTurn(malformedTurnId(id));
    const known = this.#turns.get(id);
    if (known) return known;
    const body = { id, ...(timeoutMs !== undefined && { timeoutMs }) };
    const turn = this.#track(id, this.info.lastSeq);
    return this.#begin(turn, this.#postTurn("compact", body), signal);
  }

  async commands(): Promise<SlashCommand[]> {
    const path = `/v1/sessions/${this.id}/commands`;
    const answer = await this.#connection.request("GET", path, { isRepeatable: true });
    return readResponse(commandListShape, answer).commands;
  }

  async fork(options: ForkOptions = {}): Promise<Session> {
    await this.#arrivals;
    const path = `/v1/sessions/${this.id}/fork`;
    const answer = await this.#connection.request("POST", path, { body: options });
    const opened = readResponse(openedSessionShape, answer);
    return new RemoteSession(this.#connection, opened, this.#watched);
  }

  #begin(turn: RemoteTurn, sent: Promise<SentTurn>, signal: AbortSignal | undefined): Turn {
    sent.then(
      (answer) => turn.onSent(answer),
      (error) => this.#lose(turn, error),
    );
    this.#arrivals = turn.arrived;
    if (signal) cancelOnAbort(signal, turn);
    return turn;
  }

  /**
   * Sends a steer message. If a turn is running according to this client, the handle represents this turn until the
   * response names the turn that received the message.
   */
  #steer(id: TurnId, message: string | MessageInput, after: number, options: SendOptions): Turn {
    const running = this.info.turn;
    const turnOf = (turnId: TurnId) => this.#turns.get(turnId) ?? this.#track(turnId, after);
    const sent = this.#post(id, message, options);
    this.#arrivals = sent.catch(() => {});
    if (running) {
      const target = this.#turns.get(running.id) ?? this.#track(running.id, running.seq - 1);
      return steeringTurn(target, sent, turnOf);
    }
    const own = this.#track(id, after);
    const forget = () => this.#turns.delete(id);
    sent.then((answer) => {
      if (answer.id === id) own.onSent(answer);
      else forget();
    }, forget);
    if (options.signal) cancelOnAbort(options.signal, own);
    return steeringTurn(own, sent, turnOf);
  }

  async interrupt(options: InterruptOptions = {}): Promise<void> {
    const isRepeatable = requireTurnId(options.turnId) !== undefined;
    await this.#do("interrupt", options, { isRepeatable });
  }

  async ping(): Promise<void> {
    await this.#do("ping");
  }

  async answer(requestId: string, answer: Answer): Promise<void> {
    await this.#do("answers", { ...answer, requestId: requireRequestId(requestId) });
  }

  async *events(options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    for await (const batch of followEvents(this.#connection, this.id, options)) {
      for (const event of batch) {
        if (this.#mirror.isBehind(event)) await this.#mirror.reach(event.seq);
        if (options.signal?.aborted) return;
        yield event;
      }
    }
  }

  async detach(): Promise<void> {
    const { lastSeq } = await this.#do("detach");
    await this.#mirror.reach(lastSeq);
  }

  async stop(reason?: string): Promise<void> {
    const body = reason === undefined ? {} : { reason };
    const { lastSeq } = await this.#do("stop", body, { isRepeatable: true });
    await this.#mirror.reach(lastSeq);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop("disposed");
  }

  /** Stops following the session. The session keeps running. */
  close(): void {
    this.#mirror.close();
  }

  async #do(verb: string, body: unknown = {}, { isRepeatable = false } = {}): Promise<SessionInfo> {
    await this.#arrivals;
    const path = `/v1/sessions/${this.id}/${verb}`;
    const answer = await this.#connection.request("POST", path, { body, isRepeatable });
    const info = readResponse(sessionShape, answer);
    this.#mirror.adopt(info);
    return info;
  }

  #post(id: TurnId, message: string | MessageInput, options: SendOptions): Promise<SentTurn> {
    const { delivery, timeoutMs, traceparent } = options;
    // The server validates the value, because callers may not use TypeScript.
    const { text: input, ...attachments } =
      typeof message === "object" && message !== null ? message : { text: message };
    const body = {
      id,
      input,
      ...attachments,
      ...(delivery !== undefined && { delivery }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(traceparent !== undefined && { traceparent }),
    };
    return this.#postTurn("turns", body);
  }

  async #postTurn(verb: "turns" | "compact", body: object): Promise<SentTurn> {
    await this.#arrivals;
    const path = `/v1/sessions/${this.id}/${verb}`;
    const request = { body, isRepeatable: true, signal: this.#mirror.signal };
    const sent = readResponse(sentTurnShape, await this.#connection.request("POST", path, request));
    this.#watch(); // restart the mirror, because the session may have ended and been resumed
    return sent;
  }

  #track(id: TurnId, after: number): RemoteTurn {
    const turn = new RemoteTurn(this, id, after);
    this.#turns.set(id, turn);
    if (this.#turns.size > KNOWN_TURNS) {
      const oldest = [...this.#turns.values()].find(({ isOver }) => isOver);
      if (oldest) this.#turns.delete(oldest.id);
    }
    return turn;
  }

  #onEvent(event: StreamEvent): void {
    if (event.type === "system" && event.subtype === "session_ready") this.#isReady = true;
    if (event.turnId !== undefined) this.#turns.get(event.turnId)?.onEvent(event);
  }

  #watch(): void {
    this.#watched.add(this);
    this.#mirror.watch();
  }

  #onEnd(error: unknown): void {
    this.#broken = error;
    this.#watched.delete(this);
    const open = [...this.#turns.values()].filter(
      ({ isOver, hasArrived }) => hasArrived && !isOver,
    );
    if (open.length === 0) return;
    // The session is detached and its turns are still running. The log records their end after the next attach.
    if (error === undefined && this.info.state === "detached") {
      setTimeout(() => this.#watch(), AGAIN_MS);
      return;
    }
    for (const turn of open) this.#lose(turn, error);
  }

  /**
   * Forgets a failed turn, so that its message can be sent again. The server ignores a message that it has already
   * received.
   */
  #lose(turn: RemoteTurn, error: unknown): void {
    this.#turns.delete(turn.id);
    void turn.fail(lostTurn(error));
  }
}

function cancelOnAbort(signal: AbortSignal, turn: RemoteTurn): void {
  const onAbort = () => void turn.cancel("aborted").catch(() => {}); // the outcome reports the failure
  signal.addEventListener("abort", onAbort, { once: true });
  void turn.outcome.then(() => signal.removeEventListener("abort", onAbort));
}
