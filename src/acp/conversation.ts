import type { Session, Turn } from "../contracts/halyard.ts";
import { toErrorInfo } from "../errors/error.ts";
import { newTurnId } from "../errors/require-id.ts";
import type { MessageInput } from "../schema/attachment.ts";
import type { RequestEvent, StreamEvent } from "../schema/event.ts";
import type { RequestId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import { liveStates } from "../schema/session-state.ts";
import type { Client } from "./client.ts";
import { replayUpdates } from "./updates/replay-session.ts";
import { UpdateMapper } from "./updates/update-mapper.ts";

/** A prompt of the client. */
export interface Prompt {
  /** Id of its turn. */
  readonly id: TurnId;
  /** Resolves when the runtime has received the prompt. */
  readonly started: Promise<void>;
  /** Resolves when the turn has ended and all its updates were sent to the client. Never rejects. */
  readonly ended: Promise<Outcome>;
}

interface OwnTurn {
  readonly turn: Turn;
  start(): void;
  end(outcome: Outcome): void;
}

export interface ConversationOptions {
  /** Called when the settings of the session have changed. */
  readonly onChange: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** A session that is connected to a client. Sends every event to the client once and in order. */
export class Conversation {
  readonly #session: Session;
  readonly #client: Client;
  readonly #options: ConversationOptions;
  readonly #mapper: UpdateMapper;
  readonly #left = new AbortController();
  readonly #turns = new Map<TurnId, OwnTurn>();
  readonly #asks = new Map<RequestId, AbortController>();
  /** Notices to send before the next prompt. */
  readonly #notices: string[] = [];
  #seq = 0;
  /** The running turn, as of the last processed event. */
  #turnId: TurnId | undefined;
  #title: string | undefined;

  constructor(session: Session, client: Client, options: ConversationOptions) {
    this.#session = session;
    this.#client = client;
    this.#options = options;
    this.#mapper = new UpdateMapper(session.info.cwd);
  }

  get info(): SessionInfo {
    return this.#session.info;
  }

  get hasEnded(): boolean {
    return !liveStates.includes(this.info.state);
  }

  /** True while a prompt of the client is running. */
  get isBusy(): boolean {
    return this.#turns.size > 0;
  }

  /** Starts to send updates, from the first event of the log or from now on. Resolves when the past events are sent. */
  async begin({ replay }: { replay: boolean }): Promise<void> {
    this.#seq = this.info.lastSeq;
    this.#turnId = this.info.turn?.id;
    if (replay)
      for await (const update of replayUpdates(this.#past(), this.#mapper))
        await this.#client.sendUpdate(this.info, update);
    this.#title = titleOf(this.info);
    for (const request of this.info.openRequests) void this.#ask(request);
    void this.#follow();
  }

  /** Sends the current state of the session. */
  async reportNow(): Promise<void> {
    const { turn, openRequests } = this.info;
    const state = turn ? (openRequests.length > 0 ? "requires_action" : "running") : "idle";
    await this.#client.report(this.info, { state });
  }

  /** Adds a notice for the next prompt. Before that, the client may not know the session. */
  addNotice(notice: string): void {
    this.#notices.push(notice);
  }

  prompt(message: string | MessageInput): Prompt {
    for (const notice of this.#notices.splice(0)) {
      const update = { type: "notice", isFromHalyard: true, text: notice } as const;
      void this.#client.sendUpdate(this.info, update).catch(() => {}); // the client may have disconnected
    }
    return this.#send(message);
  }

  /** Cancels the running turn, even if another client started it, and the queued prompts of this client. */
  async cancel(): Promise<void> {
    for (const { turn } of this.#turns.values()) void turn.cancel(REASON);
    if (this.#turns.size === 0) await this.#session.interrupt({ reason: REASON });
  }

  /** Stops sending updates. Open requests stay open for another client. */
  leave(): void {
    this.#left.abort();
    for (const asking of this.#asks.values()) asking.abort();
  }

  async stop(reason: string): Promise<void> {
    await this.#session.stop(reason);
    this.leave();
  }

  #send(message: string | MessageInput): Prompt {
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
    const turn = this.#session.send(message, { id });
    this.#turns.set(id, { turn, start, end });
    void turn.accepted.then(({ status }) => {
      if (status === "failed") void turn.outcome.then(end); // no event may follow
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
        await this.#handle(event);
    } catch (error) {
      if (!signal.aborted) this.#options.log(`${this.#session.id}: ${toErrorInfo(error).message}`);
    }
    for (const { turn, end } of this.#turns.values()) void turn.outcome.then(end);
  }

  async #handle(event: StreamEvent): Promise<void> {
    const own = event.turnId && this.#turns.get(event.turnId);
    const isBegin = begins(event);
    const wasRunning = this.#turnId !== undefined;
    this.#turnId = turnAfter(event, this.#turnId);
    if (isBegin) await this.#client.report(this.info, { state: "running" });
    for (const update of this.#mapper.map(event)) {
      if (update.type === "changed") await this.#options.onChange();
      else if (!(isBegin && own) || this.#client.expectsOwnPrompts)
        await this.#client.sendUpdate(this.info, update);
    }
    if (isBegin) own?.start();
    if (isBegin) await this.#sendTitle();
    if (event.type === "request" && event.verdict === "ask") void this.#ask(event);
    if (event.type === "response") await this.#answered(event.requestId);
    if (event.type === "completion") {
      if (wasRunning && this.#turnId === undefined)
        await this.#client.report(this.info, { state: "idle", outcome: event.outcome });
      own?.end(event.outcome);
    }
  }

  /** Sends the title, which is known after the first prompt. */
  async #sendTitle(): Promise<void> {
    const title = titleOf(this.info);
    if (title === undefined || title === this.#title) return;
    this.#title = title;
    await this.#client.sendUpdate(this.info, { type: "title", title });
  }

  /** Asks the client and passes its answer to the session. The first answer counts. */
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
      // Another client may have answered first, or the turn has ended.
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

/** Returns the running turn after an event. A queued turn can end while another one is running. */
function turnAfter(event: StreamEvent, before: TurnId | undefined): TurnId | undefined {
  if (begins(event)) return event.turnId;
  return event.type === "completion" && event.turnId === before ? undefined : before;
}

function titleOf({ name, about }: SessionInfo): string | undefined {
  return name ?? about;
}

const REASON = "cancelled by the client";
