import { toErrorInfo } from "../core/error.ts";
import type { Session, Turn } from "../core/halyard.ts";
import { newTurnId } from "../core/id.ts";
import type { RequestEvent, StreamEvent } from "../schema/event.ts";
import type { RequestId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import { liveStates } from "../schema/session-state.ts";
import type { Client } from "./client.ts";
import { Narrator } from "./narrator.ts";
import { retell } from "./retell.ts";

/** A prompt of the client's. */
export interface Prompt {
  /** Its turn's. */
  readonly id: TurnId;
  /** The runtime has it now. */
  readonly started: Promise<void>;
  /** Its turn has ended, and the client was told all of it. Never rejects. */
  readonly ended: Promise<Outcome>;
}

interface OwnTurn {
  readonly turn: Turn;
  start(): void;
  end(outcome: Outcome): void;
}

export interface ConversationOptions {
  /** What can be chosen for the session has changed. */
  readonly onChange: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** A session with a client at it, which hears whatever happens in it, once and in order. */
export class Conversation {
  readonly #session: Session;
  readonly #client: Client;
  readonly #options: ConversationOptions;
  readonly #narrator: Narrator;
  readonly #left = new AbortController();
  readonly #turns = new Map<TurnId, OwnTurn>();
  readonly #asks = new Map<RequestId, AbortController>();
  /** What to say before the next prompt. */
  readonly #notices: string[] = [];
  #seq = 0;
  /** The turn under way, as far as was heard. */
  #turnId: TurnId | undefined;
  #title: string | undefined;

  constructor(session: Session, client: Client, options: ConversationOptions) {
    this.#session = session;
    this.#client = client;
    this.#options = options;
    this.#narrator = new Narrator(session.info.cwd);
  }

  get info(): SessionInfo {
    return this.#session.info;
  }

  get hasEnded(): boolean {
    return !liveStates.includes(this.info.state);
  }

  /** A prompt of the client's is under way. */
  get isBusy(): boolean {
    return this.#turns.size > 0;
  }

  /** Begins to tell: from the beginning of the session's log, or from now on. Resolves once the past is told. */
  async begin({ replay }: { replay: boolean }): Promise<void> {
    this.#seq = this.info.lastSeq;
    this.#turnId = this.info.turn?.id;
    if (replay)
      for await (const telling of retell(this.#past(), this.#narrator))
        await this.#client.tell(this.info, telling);
    this.#title = titleOf(this.info);
    for (const request of this.info.openRequests) void this.#ask(request);
    void this.#follow();
  }

  /** Tells what the session is at. */
  async reportNow(): Promise<void> {
    const { turn, openRequests } = this.info;
    const state = turn ? (openRequests.length > 0 ? "requires_action" : "running") : "idle";
    await this.#client.report(this.info, { state });
  }

  /** To be said with the next prompt: before that, a client may not know the session yet. */
  mention(notice: string): void {
    this.#notices.push(notice);
  }

  prompt(text: string): Prompt {
    for (const notice of this.#notices.splice(0)) {
      const telling = { type: "notice", isOurs: true, text: notice } as const;
      void this.#client.tell(this.info, telling).catch(() => {}); // a client that left needs no notice
    }
    return this.#send(text);
  }

  /** Ends the turn under way, whoever began it, and those of the client's that wait for it. */
  async cancel(): Promise<void> {
    for (const { turn } of this.#turns.values()) void turn.cancel(REASON);
    if (this.#turns.size === 0) await this.#session.interrupt({ reason: REASON });
  }

  /** Tells no more. What is being asked stays open, for whoever comes next. */
  leave(): void {
    this.#left.abort();
    for (const asking of this.#asks.values()) asking.abort();
  }

  async stop(reason: string): Promise<void> {
    await this.#session.stop(reason);
    this.leave();
  }

  #send(text: string): Prompt {
    const id = newTurnId();
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
    const turn = this.#session.send(text, { id });
    this.#turns.set(id, { turn, start, end });
    void turn.accepted.then(({ status }) => {
      if (status === "failed") void turn.outcome.then(end); // it may never be heard of again
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
      for await (const event of this.#session.events({ after: this.#seq, signal }))
        await this.#hear(event);
    } catch (error) {
      if (!signal.aborted) this.#options.log(`${this.#session.id}: ${toErrorInfo(error).message}`);
    }
    for (const { turn, end } of this.#turns.values()) void turn.outcome.then(end);
  }

  async #hear(event: StreamEvent): Promise<void> {
    const own = event.turnId && this.#turns.get(event.turnId);
    const isBegin = begins(event);
    const isAtWork = this.#turnId !== undefined;
    this.#turnId = turnAfter(event, this.#turnId);
    if (isBegin) await this.#client.report(this.info, { state: "running" });
    for (const telling of this.#narrator.tell(event)) {
      if (telling.type === "changed") await this.#options.onChange();
      else if (!(isBegin && own) || this.#client.hearsItself)
        await this.#client.tell(this.info, telling);
    }
    if (isBegin) own?.start();
    if (isBegin) await this.#tellTitle();
    if (event.type === "request" && event.verdict === "ask") void this.#ask(event);
    if (event.type === "response") await this.#answered(event.requestId);
    if (event.type === "completion") {
      if (isAtWork && this.#turnId === undefined)
        await this.#client.report(this.info, { state: "idle", outcome: event.outcome });
      own?.end(event.outcome);
    }
  }

  /** What a session is about is known once it was asked something. */
  async #tellTitle(): Promise<void> {
    const title = titleOf(this.info);
    if (title === undefined || title === this.#title) return;
    this.#title = title;
    await this.#client.tell(this.info, { type: "title", title });
  }

  /** Asks the client, and gives its answer to the session: first come, first served. */
  async #ask(request: RequestEvent): Promise<void> {
    const { requestId } = request;
    if (this.#asks.has(requestId)) return;
    const asking = new AbortController();
    this.#asks.set(requestId, asking);
    try {
      await this.#client.report(this.info, { state: "requires_action" });
      const answer = await this.#client
        .ask(this.info, request, asking.signal)
        .catch((error) => ({ decision: "deny", text: toErrorInfo(error).message }) as const);
      if (!asking.signal.aborted && !this.#client.isGone)
        await this.#session.answer(requestId, answer);
    } catch (error) {
      // Somebody else may have been faster, or the turn has ended.
      this.#options.log(`${requestId}: ${toErrorInfo(error).message}`);
    }
  }

  async #answered(requestId: RequestId): Promise<void> {
    const asking = this.#asks.get(requestId);
    this.#asks.delete(requestId);
    asking?.abort();
    if (asking && this.#asks.size === 0) await this.#client.report(this.info, { state: "running" });
  }
}

function begins(event: StreamEvent): boolean {
  return event.type === "system" && event.subtype === "turn_started";
}

/** The turn under way after the event: another may end while it waits. */
function turnAfter(event: StreamEvent, before: TurnId | undefined): TurnId | undefined {
  if (begins(event)) return event.turnId;
  return event.type === "completion" && event.turnId === before ? undefined : before;
}

function titleOf({ name, about }: SessionInfo): string | undefined {
  return name ?? about;
}

const REASON = "cancelled by the client";
