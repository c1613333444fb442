import type { OutputNeeds } from "../../adapter-kit/release-output.ts";
import type { AsyncChannel } from "../../async/channel.ts";
import type { AttachPoint, ConnectRequest, Output } from "../../contracts/adapter.ts";
import { type EventDraft, warning } from "../../contracts/event-draft.ts";
import type { Answer } from "../../schema/permission.ts";
import { isRecord } from "../../wire/is-record.ts";
import { ControlMessage } from "./events/control-message.ts";
import { SessionMapper } from "./events/session-mapper.ts";
import type { Snapshot } from "./events/snapshot.ts";
import { NativeTurnWatch } from "./events/turn-watch.ts";
import { Recording, readRecording } from "./recording.ts";

export interface EventRecorderOptions {
  readonly sessionId: string;
  /**
   * The directory in which events are recorded, and the offsets of the events that are needed. `onNativeMessage`
   * receives every event.
   */
  readonly request: OutputNeeds & Pick<ConnectRequest, "runDir" | "onNativeMessage">;
  readonly output: AsyncChannel<Output>;
  /** Called when a turn starts or ends. */
  onTurn(isOpen: boolean): void;
  /** Called when OpenCode retries a model call. */
  onRetry(attempt: number, reason: string): void;
  /** Called after every 10 s without an event during a turn. */
  onSilence(): void;
}

/** Reads the current turn: the messages after the last message for which `isPast` returns true. */
export type ReadSnapshot = (isPast: (messageId: string) => boolean) => Promise<Snapshot>;

/** Receives a session's events, records and maps them, and detects the end of a turn. */
export class EventRecorder {
  /** True if the state of an earlier connection is being restored or has been restored. */
  isRestored = false;
  readonly #options: EventRecorderOptions;
  readonly #mapper: SessionMapper;
  readonly #recording: Recording;
  readonly #watch: NativeTurnWatch;
  /** Events that arrived while a gap is being filled. Undefined if no gap is being filled. */
  #waiting: unknown[] | undefined;
  #gaps = 0;
  #isCancelled = false;
  /** The id of the session's latest message. */
  #latest: string | undefined;
  /** The id of the last message before the current turn. */
  #before: string | undefined;
  #isClosed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#mapper = new SessionMapper(options.sessionId);
    this.#recording = new Recording(options.request.runDir, options.request);
    this.#watch = new NativeTurnWatch({
      onSettled: () => this.apply({ type: "halyard.settled" }),
      onSilence: options.onSilence,
    });
  }

  get isTurnOpen(): boolean {
    return this.#mapper.isTurnOpen;
  }

  /** Skips all messages up to `messageId`, which belong to no turn of this connection. */
  startAfter(messageId: string | undefined): void {
    this.#latest = messageId;
  }

  receive(event: unknown): void {
    this.#options.request.onNativeMessage?.(event);
    if (this.#waiting) this.#waiting.push(event);
    else this.#process(event);
  }

  apply(message: ControlMessage): void {
    this.#process(message);
  }

  /** Prepares for a turn. Must be called before the turn's message is sent. */
  startTurn(): void {
    this.#isCancelled = false;
    this.#before = this.#latest;
    const after = this.#before === undefined ? {} : { after: this.#before };
    this.#recording.append({ type: "halyard.sent", ...after });
    this.#watch.touch({ isSettling: false });
  }

  /** Stops the timers after a message has failed. */
  stopWatching(): void {
    this.#watch.stop();
  }

  /** Emits drafts that are not mapped from a native event. */
  emit(...drafts: EventDraft[]): void {
    this.#options.output.push({ drafts });
  }

  /** Emits a warning if a late answer allowed a request that OpenCode had already settled. Ignores a late denial. */
  warnLateAnswer({ decision }: Answer): void {
    const text = "The answer arrived too late: OpenCode had already settled the request.";
    if (decision === "allow") this.emit(warning(text));
  }

  /**
   * Restores the state from the recording and emits drafts after the cursor. Returns true if a turn is open or
   * expected.
   */
  restore({ cursor, turnCursor }: AttachPoint): boolean {
    let isExpected = false;
    for (const { message, end } of readRecording(this.#options.request.runDir, turnCursor)) {
      const sent = ControlMessage.safeParse(message).data;
      if (sent?.type === "halyard.sent") {
        this.#before = sent.after;
        isExpected = true;
      }
      this.#track(message);
      const drafts = this.#mapper.map(message);
      if (drafts.some(({ type }) => type === "completion")) isExpected = false;
      if (end > cursor && drafts.length > 0)
        this.#options.output.push({ drafts, raw: message, cursor: end });
    }
    if (this.isTurnOpen) this.#watch.touch({ isSettling: this.#mapper.isHeld });
    return isExpected || this.isTurnOpen;
  }

  /**
   * Emits missed events from a snapshot. If `isOver` is true, ends the turn of an idle session even if the turn has no
   * answer.
   */
  async fillGap(read: ReadSnapshot, isOver = false): Promise<void> {
    const isFilling = this.#waiting !== undefined;
    this.#waiting = []; // events up to now are dropped, because the next snapshot contains them
    this.#gaps++;
    if (isFilling) return;
    try {
      for (let gap = 0; gap !== this.#gaps; ) {
        gap = this.#gaps;
        this.#applySnapshot(await read(this.#isPast), isOver);
      }
    } finally {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      this.#process({ type: "halyard.gap" }); // marks the gap after the snapshot, even if the snapshot failed
      for (const event of waiting) this.#process(event);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#watch.stop();
    this.#recording.close();
  }

  #applySnapshot({ events, isIdle, isAnswered }: Snapshot, isOver: boolean): void {
    for (const event of events) this.#process(event);
    if (!isIdle || (!isAnswered && !isOver)) return;
    this.#process({ type: "session.idle", properties: { sessionID: this.#options.sessionId } });
    if (isOver) this.#process({ type: "halyard.settled" });
  }

  readonly #isPast = (messageId: string): boolean =>
    this.#mapper.isPast(messageId) || messageId === this.#before;

  #process(message: unknown): void {
    if (this.#isClosed) return;
    const wasOpen = this.isTurnOpen;
    const drafts = this.#mapper.map(message);
    const { isTurnOpen } = this;
    this.#track(message);
    if (drafts.length > 0)
      this.#options.output.push({ drafts, raw: message, cursor: this.#recording.append(message) });
    // Late events after a turn are not recorded, because a reader would mistake them for the start of a turn.
    else if ((wasOpen || isTurnOpen) && !isProgress(message)) this.#recording.append(message);
    if (isTurnOpen) this.#watch.touch({ isSettling: this.#isSettling });
    else this.#watch.stop();
    if (isTurnOpen !== wasOpen) this.#options.onTurn(isTurnOpen);
    if (isTurnOpen) this.#reportRetry(message);
  }

  /** True if an idle session may end the turn: the model has started to work, or the turn was cancelled. */
  get #isSettling(): boolean {
    return this.#mapper.isHeld && (this.#isCancelled || this.#mapper.hasBegun);
  }

  #track(message: unknown): void {
    if (!isRecord(message)) return;
    if (message.type === "halyard.cancelled") this.#isCancelled = true;
    if (message.type !== "message.updated" || !isRecord(message.properties)) return;
    const { info } = message.properties;
    if (!isRecord(info) || info.sessionID !== this.#options.sessionId) return;
    if (typeof info.id === "string" && !this.#mapper.isPast(info.id)) this.#latest = info.id;
  }

  #reportRetry(message: unknown): void {
    if (!isRecord(message) || message.type !== "session.status") return;
    const status = isRecord(message.properties) ? message.properties.status : undefined;
    if (!isRecord(status) || status.type !== "retry" || typeof status.attempt !== "number") return;
    this.#options.onRetry(status.attempt, String(status.message ?? ""));
  }
}

/** True for an update of a running tool. Each update repeats the tool's output so far. */
function isProgress(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message.properties)) return false;
  const { part } = message.properties;
  return isRecord(part) && isRecord(part.state) && part.state.status === "running";
}
