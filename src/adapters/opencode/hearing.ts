import type { AttachPoint, Output } from "../../core/adapter.ts";
import type { Channel } from "../../core/channel.ts";
import { type EventDraft, warning } from "../../core/draft.ts";
import type { Answer } from "../../schema/permission.ts";
import { isRecord } from "../../wire/is-record.ts";
import { OurMessage } from "./our-messages.ts";
import { Recording, readRecording } from "./recording.ts";
import { SessionMapper } from "./session-mapper.ts";
import type { Snapshot } from "./snapshot.ts";
import { TurnWatch } from "./turn-watch.ts";

export interface HearingOptions {
  readonly sessionId: string;
  readonly runDir: string;
  readonly output: Channel<Output>;
  /** To be told every event, for a recording. */
  readonly onEvent?: ((event: unknown) => void) | undefined;
  /** The turn has begun, or ended. */
  onTurn(isOpen: boolean): void;
  /** The model is tried again, for that reason. */
  onRetry(attempt: number, reason: string): void;
  /** Nothing came for long in a turn. */
  onSilence(): void;
}

/** Reads back what events would have told, from behind the messages that are past. */
export type ReadBack = (isPast: (messageId: string) => boolean) => Promise<Snapshot>;

/** What is heard of a session: recorded, told in our words, and watched for its end. */
export class Hearing {
  /** Whether what was there before has been seen to. */
  isTakenUp = false;
  readonly #options: HearingOptions;
  readonly #mapper: SessionMapper;
  readonly #recording: Recording;
  readonly #watch: TurnWatch;
  /** What comes while a gap is mended has to wait. */
  #waiting: unknown[] | undefined;
  #gaps = 0;
  #isCancelled = false;
  /** The latest message of the session's, and the one before the turn under way. */
  #latest: string | undefined;
  #before: string | undefined;
  #isClosed = false;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#mapper = new SessionMapper(options.sessionId);
    this.#recording = new Recording(options.runDir);
    this.#watch = new TurnWatch({
      onSettled: () => this.say({ type: "halyard.settled" }),
      onSilence: options.onSilence,
    });
  }

  get isTurnOpen(): boolean {
    return this.#mapper.isTurnOpen;
  }

  /** What was said before we came belongs to no turn of ours. */
  startAfter(messageId: string | undefined): void {
    this.#latest = messageId;
  }

  hear(event: unknown): void {
    this.#options.onEvent?.(event);
    if (this.#waiting) this.#waiting.push(event);
    else this.#take(event);
  }

  say(message: OurMessage): void {
    this.#take(message);
  }

  /** A message is about to be sent. */
  expect(): void {
    this.#isCancelled = false;
    this.#before = this.#latest;
    const after = this.#before === undefined ? {} : { after: this.#before };
    this.#recording.append({ type: "halyard.sent", ...after });
    this.#watch.touch({ isSettling: false });
  }

  /** It came to nothing. */
  expectNothing(): void {
    this.#watch.stop();
  }

  /** What no event says. */
  tell(...drafts: EventDraft[]): void {
    this.#options.output.push({ drafts });
  }

  /** OpenCode had settled the request when its answer came: what is on record as allowed then was not. */
  answeredTooLate({ decision }: Answer): void {
    const text = "the permission came too late: OpenCode had settled the request by itself";
    if (decision === "allow") this.tell(warning(text));
  }

  /** Knows again what was known up to the attach point, and tells what was recorded but not told. Says whether a turn is owed. */
  recall({ cursor, turnCursor }: AttachPoint): boolean {
    let isExpected = false;
    for (const { message, end } of readRecording(this.#options.runDir, turnCursor)) {
      const sent = OurMessage.safeParse(message).data;
      if (sent?.type === "halyard.sent") {
        this.#before = sent.after;
        isExpected = true;
      }
      this.#note(message);
      const drafts = this.#mapper.map(message);
      if (drafts.some(({ type }) => type === "completion")) isExpected = false;
      if (end > cursor && drafts.length > 0)
        this.#options.output.push({ drafts, raw: message, cursor: end });
    }
    if (this.isTurnOpen) this.#watch.touch({ isSettling: this.#mapper.isHeld });
    return isExpected || this.isTurnOpen;
  }

  /** Events were missed: tells what they would have told. `isOver` where idleness can only mean the end. */
  async mend(read: ReadBack, isOver = false): Promise<void> {
    const isMending = this.#waiting !== undefined;
    this.#waiting = []; // what came before this gap is in what is read after it
    this.#gaps++;
    if (isMending) return;
    try {
      for (let gap = 0; gap !== this.#gaps; ) {
        gap = this.#gaps;
        this.#fill(await read(this.#isPast), isOver);
      }
    } finally {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      this.#take({ type: "halyard.gap" }); // behind what was read, or where nothing could be
      for (const event of waiting) this.#take(event);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#watch.stop();
    this.#recording.close();
  }

  #fill({ events, isIdle, isAnswered }: Snapshot, isOver: boolean): void {
    for (const event of events) this.#take(event);
    if (!isIdle || (!isAnswered && !isOver)) return;
    this.#take({ type: "session.idle", properties: { sessionID: this.#options.sessionId } });
    if (isOver) this.#take({ type: "halyard.settled" });
  }

  readonly #isPast = (messageId: string): boolean =>
    this.#mapper.isPast(messageId) || messageId === this.#before;

  #take(message: unknown): void {
    if (this.#isClosed) return;
    const wasOpen = this.isTurnOpen;
    const drafts = this.#mapper.map(message);
    const { isTurnOpen } = this;
    this.#note(message);
    if (drafts.length > 0)
      this.#options.output.push({ drafts, raw: message, cursor: this.#recording.append(message) });
    // What comes late after a turn would look like the beginning of one to whoever reads the recording.
    else if ((wasOpen || isTurnOpen) && !isProgress(message)) this.#recording.append(message);
    if (isTurnOpen) this.#watch.touch({ isSettling: this.#isSettling });
    else this.#watch.stop();
    if (isTurnOpen !== wasOpen) this.#options.onTurn(isTurnOpen);
    if (isTurnOpen) this.#heedRetry(message);
  }

  /** Idleness before anything has happened is the end only of a turn that nobody wants any more. */
  get #isSettling(): boolean {
    return this.#mapper.isHeld && (this.#isCancelled || this.#mapper.hasBegun);
  }

  #note(message: unknown): void {
    if (!isRecord(message)) return;
    if (message.type === "halyard.cancelled") this.#isCancelled = true;
    if (message.type !== "message.updated" || !isRecord(message.properties)) return;
    const { info } = message.properties;
    if (!isRecord(info) || info.sessionID !== this.#options.sessionId) return;
    if (typeof info.id === "string" && !this.#mapper.isPast(info.id)) this.#latest = info.id;
  }

  #heedRetry(message: unknown): void {
    if (!isRecord(message) || message.type !== "session.status") return;
    const status = isRecord(message.properties) ? message.properties.status : undefined;
    if (!isRecord(status) || status.type !== "retry" || typeof status.attempt !== "number") return;
    this.#options.onRetry(status.attempt, String(status.message ?? ""));
  }
}

/** The output of a tool so far, over and over. */
function isProgress(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message.properties)) return false;
  const { part } = message.properties;
  return isRecord(part) && isRecord(part.state) && part.state.status === "running";
}
