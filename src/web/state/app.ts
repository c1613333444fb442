import { embeddedFetch } from "../../client/embedded-log.ts";
import { newTurnId } from "../../errors/require-id.ts";
import type { Delivery } from "../../schema/delivery.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { EmbeddedLog } from "../../schema/page/embedded-log.ts";
import type { Answer } from "../../schema/permission.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import { Api } from "../api/api.ts";
import { Board } from "./board.ts";
import type { LineState } from "./line-status.ts";
import { Frames, followLive } from "./live.ts";
import { LogWindow } from "./log-window.ts";
import { hrefOf, type PageRoute, parseRoute, watchRoute } from "./route.ts";
import { isSharedAddress, openShareByAddress, signInByAddress } from "./sign-in.ts";
import { createSource, type Source } from "./source.ts";

/** The number of sessions that the board lists at first. More are listed on demand. */
const LISTED = 200;

/** The maximum number of live sessions that are also listed, regardless of their age. */
const MOST_LIVE = 500;

/** The number of sessions whose last events are read when the page opens. */
const RECALLED = 32;

/** The number of events at the end of a log that the board reads to describe the session's activity. */
const LAST_EVENTS = 24;

/** A message that the server has not confirmed or did not accept. */
export interface Pending {
  readonly sessionId: string;
  readonly text: string;
  /** Why the message was not accepted. */
  readonly error?: string;
}

/** A short message below the header of the page. */
export interface Toast {
  readonly text: string;
  readonly isError: boolean;
}

/** The state of the page and all its actions. */
export class PageApp {
  readonly status: Source<LineState> = createSource("connecting");
  readonly board = new Board();
  readonly route: Source<PageRoute>;
  readonly runtimes: Source<readonly RuntimeInfo[]> = createSource([]);
  readonly pending: Source<ReadonlyMap<string, Pending>> = createSource(new Map());
  readonly toast: Source<Toast | undefined> = createSource(undefined);
  readonly dialog: Source<"new" | "help" | undefined> = createSource(undefined);
  /** The number of sessions that the board has requested. */
  readonly listed: Source<number> = createSource(LISTED);
  /** The time, updated each second for ages and durations. */
  readonly now: Source<number>;
  /** True if the page shows one session and cannot change it: an exported session, or a session that a link shares. */
  readonly isReadOnly: boolean;
  /** True if the page is an exported session, which has no server. */
  readonly isRecording: boolean;
  readonly api: Api;
  readonly #window: Window;
  #open: { id: string; log: LogWindow } | undefined;
  /** Events for sessions that are still being fetched. They are applied after the session is on the board. */
  readonly #early = new Map<string, StreamEvent[]>();
  readonly #models = new Map<string, Promise<readonly ModelInfo[]>>();

  /** `recording` is the log that an exported page contains. */
  constructor(window: Window, clock: () => number, recording?: EmbeddedLog) {
    this.#window = window;
    this.isRecording = recording !== undefined;
    this.isReadOnly = this.isRecording || isSharedAddress(window.location);
    const send = recording && embeddedFetch(recording);
    this.api = new Api(new URL(".", window.location.href), this.status, send);
    this.route = watchRoute(window);
    if (recording && this.route.get().view !== "session")
      this.go({ view: "session", id: recording.session.id });
    this.now = createSource(clock());
    window.setInterval(() => this.now.set(clock()), 1000);
  }

  /**
   * Signs in if the address contains a code, and follows the server's events until the page is closed or signed out. If
   * a link opened the page, follows only the shared session.
   */
  async run(): Promise<void> {
    const { signal } = new AbortController();
    if (this.isReadOnly && !this.isRecording) return this.#followShared(signal);
    await this.attempt(() => signInByAddress(this.api, this.#window));
    while (this.status.get() !== "signed-out") {
      try {
        await followLive(this.api, {
          signal,
          onOpen: () => this.#load(),
          onEvents: (events) => this.#onEvents(events),
        });
      } catch (error) {
        if (this.status.get() !== "signed-out") this.fail(error);
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** Follows a shared link's session until the link expires or is revoked. */
  async #followShared(signal: AbortSignal): Promise<void> {
    await this.attempt(() => openShareByAddress(this.api, this.#window));
    const route = parseRoute(this.#window.location.hash);
    this.route.set(route);
    if (route.view !== "session") return this.status.set("signed-out");
    while (this.status.get() !== "signed-out") {
      try {
        const info = await this.api.find(route.id);
        this.board.adopt([info]);
        await this.#open?.log.extendTo(info.lastSeq);
        const frames = new Frames((events) => this.#onEvents(events));
        frames.open();
        for await (const events of this.api.followSession(route.id, info.lastSeq, signal))
          frames.add(events);
      } catch (error) {
        if (this.status.get() !== "signed-out") this.fail(error);
      }
      // a session that has ended may be resumed, and an unreachable server may respond again
      await new Promise((resolve) => setTimeout(resolve, RESUMED_MS));
    }
  }

  /** Returns a session's log. Keeps only the log that was requested last. */
  logOf(id: string): LogWindow {
    if (this.#open?.id === id) return this.#open.log;
    const end = this.board.entries.get().get(id)?.info.lastSeq ?? 0;
    const log = new LogWindow(this.api, id, end);
    this.#open = { id, log };
    return log;
  }

  /** Returns the models that a runtime offers. Caches them, because the server may have to start the runtime. */
  modelsOf(runtime: string): Promise<readonly ModelInfo[]> {
    const known = this.#models.get(runtime);
    if (known) return known;
    const models = this.api.models(runtime);
    this.#models.set(runtime, models);
    models.catch(() => this.#models.delete(runtime));
    return models;
  }

  /** Returns the address of a session, or of one of its events if `seq` is set. */
  hrefOfEvent(id: string, seq?: number): string {
    const isShared = this.isReadOnly && !this.isRecording;
    return hrefOf({
      view: "session",
      id,
      ...(seq !== undefined && { seq }),
      ...(isShared && { isShared }),
    });
  }

  go(route: PageRoute): void {
    this.#window.location.hash = hrefOf(route);
  }

  /** Sends a message and shows it immediately. */
  async send(sessionId: string, text: string, delivery?: Delivery): Promise<void> {
    const turnId = newTurnId();
    this.#setPending(turnId, { sessionId, text });
    try {
      await this.api.send(sessionId, text, { turnId, ...(delivery && { delivery }) });
      this.#setPending(turnId, undefined);
    } catch (error) {
      this.#setPending(turnId, { sessionId, text, error: messageOf(error) });
    }
  }

  dismiss(turnId: string): void {
    this.#setPending(turnId, undefined);
  }

  /** Answers a request. Shows the error and returns false if the answer fails. */
  answer(sessionId: string, requestId: string, answer: Answer): Promise<boolean> {
    return this.attempt(() => this.api.answer(sessionId, requestId, answer));
  }

  /** Runs an action. Returns true if the action succeeds; otherwise shows its error and returns false. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  fail(error: unknown): void {
    this.toast.set({ text: messageOf(error), isError: true });
  }

  say(text: string): void {
    this.toast.set({ text, isError: false });
  }

  /** Doubles the number of listed sessions. */
  async listMore(): Promise<void> {
    this.listed.set(this.listed.get() * 2);
    await this.attempt(async () => this.board.adopt(await this.#list()));
  }

  async #load(): Promise<void> {
    const live = { states: "starting,idle,running,waiting,detached", limit: String(MOST_LIVE) };
    const [newest, running] = await Promise.all([this.#list(), this.api.sessions(live)]);
    this.board.adopt(newest);
    this.board.adopt(running);
    this.api.runtimes().then(
      (list) => this.runtimes.set(list),
      (error) => this.fail(error),
    );
    this.#extendOpen().catch((error) => this.fail(error));
    void this.#recallNewest().catch(() => {}); // ignored, because later events update the activity
  }

  #list() {
    return this.api.sessions({ limit: String(this.listed.get()) });
  }

  /** Reads the events of the open session that were written while no stream was open. */
  async #extendOpen(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    const info = await this.api.find(open.id);
    this.board.adopt([info]);
    await open.log.extendTo(info.lastSeq);
  }

  /** Reads the newest sessions' last events, one session at a time, to show their last activity. */
  async #recallNewest(): Promise<void> {
    const infos = [...this.board.entries.get().values()].map(({ info }) => info);
    const newest = infos.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, RECALLED);
    for (const { id, lastSeq } of newest) {
      const after = Math.max(0, lastSeq - LAST_EVENTS);
      const { events } = await this.api.window(id, { after, limit: LAST_EVENTS });
      this.board.recall(id, events);
    }
  }

  #onEvents(events: readonly StreamEvent[]): void {
    for (const id of this.board.apply(events)) {
      const own = events.filter(({ sessionId }) => sessionId === id);
      const early = this.#early.get(id);
      if (early) early.push(...own);
      else void this.#add(id, own);
    }
    this.#confirm(events);
    const open = this.#open;
    if (open) open.log.onEvents(events.filter(({ sessionId }) => sessionId === open.id));
  }

  /** Removes pending messages that are in the log now. */
  #confirm(events: readonly StreamEvent[]): void {
    if (this.pending.get().size === 0) return;
    for (const event of events) {
      if (event.type !== "system") continue;
      for (const id of [event.turnId, event.data?.id])
        if (typeof id === "string" && this.pending.get().has(id)) this.#setPending(id, undefined);
    }
  }

  async #add(id: string, events: StreamEvent[]): Promise<void> {
    this.#early.set(id, events);
    try {
      this.board.adopt([await this.api.find(id)]);
      this.board.apply(events);
    } catch {
      // Ignored: the session was removed, or its next event starts another attempt.
    } finally {
      this.#early.delete(id);
    }
  }

  #setPending(turnId: string, message: Pending | undefined): void {
    const pending = new Map(this.pending.get());
    if (message) pending.set(turnId, message);
    else pending.delete(turnId);
    this.pending.set(pending);
  }
}

/** The delay before the page reconnects after the stream ended or failed, in milliseconds. */
const AGAIN_MS = 1000;

/** The delay before a shared session is read again after its stream ended or failed, in milliseconds. */
const RESUMED_MS = 5000;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
