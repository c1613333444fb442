import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { toErrorInfo } from "../../errors/error.ts";
import { newTurnId } from "../../errors/require-id.ts";
import { findOutcome, receivedMessages } from "../../halyard/received-messages.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Client } from "../client.ts";
import {
  type Cursor,
  cursorAfter,
  formatCursor,
  isCovered,
  parseCursor,
} from "../updates/cursor.ts";
import { replayUpdates } from "../updates/replay-session.ts";
import { UpdateMapper } from "../updates/update-mapper.ts";
import { type QuestionOptions, Questions } from "./questions.ts";

/** A prompt from the client. */
export interface Prompt {
  /** The id of the prompt's turn. */
  readonly id: TurnId;
  /** Resolves when the prompt's turn has started. Stays pending if the turn never starts. */
  readonly started: Promise<void>;
  /** Resolves when the turn has ended and all its updates were sent to the client. Never rejects. */
  readonly ended: Promise<Outcome>;
}

/** The first update to send: the session's first update, the first update after a cursor, or the next new update. */
export type Beginning = "start" | "now" | { readonly after: string };

interface OwnTurn {
  readonly turn: Turn;
  start(): void;
  end(outcome: Outcome): void;
}

export interface ConversationOptions extends QuestionOptions {
  readonly halyard: Halyard;
  /** Called when the settings of the session have changed. */
  readonly onChange: () => Promise<void>;
}

interface SentPrompt {
  /** The id of the prompt's turn. Defaults to a new id. */
  readonly id?: TurnId | undefined;
  /** The trace context of the client. */
  readonly traceparent?: string | undefined;
}

/** A session that is connected to a client. Sends the updates for each event to the client once and in order. */
export class Conversation {
  readonly #session: Session;
  readonly #client: Client;
  readonly #options: ConversationOptions;
  readonly #mapper: UpdateMapper;
  readonly #left = new AbortController();
  readonly #turns = new Map<TurnId, OwnTurn>();
  readonly #questions: Questions;
  /** Notices to send before the next prompt. */
  readonly #notices: string[] = [];
  /** The `seq` of the last event that was processed. */
  #seq = 0;
  /**
   * The `seq` of the last event before the client opened the session. Earlier requests are sent only if they are still
   * open.
   */
  #openedAfter = 0;
  /** The cursor up to which the client had received updates when it opened the session. */
  #received: Cursor = cursorAfter(0);
  /** The calls that wait until the event with `seq` has been processed. */
  readonly #reached = new Set<{ readonly seq: number; resolve(): void }>();
  /** The running turn, as of the last processed event. */
  #turnId: TurnId | undefined;
  #title: string | undefined;

  constructor(session: Session, client: Client, options: ConversationOptions) {
    this.#session = session;
    this.#client = client;
    this.#options = options;
    this.#mapper = new UpdateMapper(session.info.cwd);
    this.#questions = new Questions(session, client, options);
  }

  get info(): SessionInfo {
    return this.#session.info;
  }

  get hasEnded(): boolean {
    return !liveStates.includes(this.info.state);
  }

  /** True while a prompt from the client is running or queued. */
  get isBusy(): boolean {
    return this.#turns.size > 0;
  }

  /** The cursor of the last update that was sent, for a client that reconnects. */
  get cursor(): string {
    const sent = cursorAfter(this.#seq);
    return formatCursor(isCovered(sent, this.#received) ? this.#received : sent);
  }

  /**
   * Starts sending updates. If `from` is `start`, resolves after all past updates are sent. Rejects with `invalid_input`
   * if the cursor in `from` is not valid.
   */
  async begin(from: Beginning): Promise<void> {
    const { lastSeq, turn } = this.info;
    this.#openedAfter = lastSeq;
    if (typeof from === "object") {
      this.#received = parseCursor(from.after, lastSeq);
      // The mapper must know the messages and tools that were open at the cursor. Only messages and tools of the
      // running turn can be open.
      this.#seq = turn && this.#received.seq >= turn.seq ? turn.seq - 1 : 0;
    } else {
      this.#seq = lastSeq;
      this.#turnId = turn?.id;
    }
    if (from === "start")
      for await (const update of replayUpdates(this.#past(), this.#mapper))
        await this.#client.sendUpdate(this.info, update);
    this.#title = titleOf(this.info);
    for (const request of this.info.openRequests) void this.#questions.ask(request);
    void this.#follow();
  }

  /** Sends the current state of the session. */
  async reportNow(): Promise<void> {
    const isWaiting = this.info.openRequests.length > 0;
    const isIdle = openTurnOf(this.info) === undefined;
    const state = isIdle ? "idle" : isWaiting ? "requires_action" : "running";
    await this.#client.report(this.info, { state });
  }

  /**
   * Adds a notice for the next prompt. The notice cannot be sent earlier, because the client may not know the session
   * yet.
   */
  addNotice(notice: string): void {
    this.#notices.push(notice);
  }

  /** Sends a prompt. If the id belongs to an earlier prompt, returns that prompt and does not send it again. */
  prompt(message: string | MessageInput, options: SentPrompt): Prompt {
    for (const notice of this.#notices.splice(0)) {
      const update = { type: "notice", isFromHalyard: true, text: notice } as const;
      void this.#client.sendUpdate(this.info, update).catch(() => {}); // fails if the client has disconnected
    }
    return this.#send(message, options);
  }

  /**
   * Returns the prompt of a turn that has ended. If the turn has not ended, returns undefined: the session itself
   * recognizes a repeated prompt.
   */
  async findPrompt(id: TurnId): Promise<Prompt | undefined> {
    const { halyard } = this.#options;
    const received = (await receivedMessages(halyard, this.#session)).get(id);
    const outcome = received && (await findOutcome(halyard, this.#session.id, received));
    if (!outcome) return undefined;
    const ended = this.#untilReached(this.#openedAfter).then(() => outcome);
    return { id, started: Promise.resolve(), ended };
  }

  /** Cancels this client's running and queued prompts. If it has none, interrupts another client's running turn. */
  async cancel(): Promise<void> {
    for (const { turn } of this.#turns.values()) void turn.cancel(REASON);
    if (this.#turns.size === 0) await this.#session.interrupt({ reason: REASON });
  }

  /** Stops sending updates. Open requests stay open for another client. */
  leave(): void {
    this.#left.abort();
    this.#questions.close();
  }

  async stop(reason: string): Promise<void> {
    await this.#session.stop(reason);
    this.leave();
  }

  #send(message: string | MessageInput, { id: given, traceparent }: SentPrompt): Prompt {
    const id = given ?? newTurnId();
    let start = () => {};
    let end = (_: Outcome) => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const ended = new Promise<Outcome>((resolve) => {
      end = (outcome) => {
        this.#turns.delete(id);
        resolve(outcome);
      };
    });
    const turn = this.#session.send(message, { id, traceparent });
    this.#turns.set(id, { turn, start, end });
    void turn.accepted.then(({ status }) => {
      // A failed delivery may produce no event, so wait for the outcome.
      if (status === "failed") void turn.outcome.then(end);
    });
    // A repeated prompt may have ended before this client connected.
    if (given !== undefined)
      void turn.outcome.then(async (outcome) => {
        await this.#untilReached(this.info.lastSeq);
        end(outcome);
      });
    return { id, started, ended };
  }

  async *#past(): AsyncGenerator<StreamEvent> {
    for await (const event of this.#session.events({ follow: false })) {
      this.#seq = event.seq;
      this.#turnId = turnAfter(event, this.#turnId);
      yield event;
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#left;
    try {
      for await (const event of this.#session.events({ after: this.#seq, signal })) {
        await this.#handle(event);
        this.#seq = event.seq;
        for (const waiting of this.#reached) if (waiting.seq <= event.seq) waiting.resolve();
      }
    } catch (error) {
      if (!signal.aborted && !this.#client.isGone)
        this.#options.log(`${this.#session.id}: ${toErrorInfo(error).message}`);
    }
    for (const waiting of this.#reached) waiting.resolve();
    for (const { turn, end } of this.#turns.values()) void turn.outcome.then(end);
  }

  /** Resolves when the event with `seq` has been processed, or when no more events follow. */
  async #untilReached(seq: number): Promise<void> {
    if (this.#seq >= seq || this.#left.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiting = { seq, resolve: () => this.#reached.delete(waiting) && resolve() };
      this.#reached.add(waiting);
    });
  }

  async #handle(event: StreamEvent): Promise<void> {
    const { seq } = event;
    const own = event.turnId && this.#turns.get(event.turnId);
    const isBegin = begins(event);
    const isKnown = seq < this.#received.seq;
    const wasRunning = this.#turnId !== undefined;
    this.#turnId = turnAfter(event, this.#turnId);
    if (isBegin && !isKnown) await this.#client.report(this.info, { state: "running" });
    for (const [index, update] of this.#mapper.map(event).entries()) {
      if (isCovered({ seq, index }, this.#received)) continue;
      if (update.type === "changed") await this.#options.onChange();
      else if (!(isBegin && own) || this.#client.expectsOwnPrompts)
        await this.#client.sendUpdate(this.info, update, formatCursor({ seq, index }));
    }
    if (isBegin) own?.start();
    if (isBegin && !isKnown) await this.#sendTitle();
    if (event.type === "request" && event.verdict === "ask" && seq > this.#openedAfter)
      void this.#questions.ask(event);
    if (event.type === "response") await this.#questions.settle(event.requestId);
    if (event.type === "completion") {
      if (wasRunning && this.#turnId === undefined && !isKnown)
        await this.#client.report(this.info, { state: "idle", outcome: event.outcome });
      own?.end(event.outcome);
    }
  }

  /** Sends the session's title if it has changed. A session without a name receives its title with the first prompt. */
  async #sendTitle(): Promise<void> {
    const title = titleOf(this.info);
    if (title === undefined || title === this.#title) return;
    this.#title = title;
    await this.#client.sendUpdate(this.info, { type: "title", title });
  }
}

function begins(event: StreamEvent): boolean {
  return event.type === "system" && event.subtype === "turn_started";
}

/** Returns the running turn after an event. A queued turn can end while another turn is running. */
function turnAfter(event: StreamEvent, before: TurnId | undefined): TurnId | undefined {
  if (begins(event)) return event.turnId;
  return event.type === "completion" && event.turnId === before ? undefined : before;
}

function titleOf({ name, about }: SessionInfo): string | undefined {
  return name ?? about;
}

const REASON = "cancelled by the client";
