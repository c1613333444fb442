import { HalyardError } from "../core/error.ts";
import type {
  EventFilter,
  FollowOptions,
  Halyard,
  ResumeOptions,
  Session,
} from "../core/halyard.ts";
import { isSessionId, newSessionId, requireSessionId } from "../core/id.ts";
import type { PositionedEvent, SessionFilter } from "../core/store.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { ProcessInfo } from "../schema/process.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtime-info.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { oneByOne } from "../wire/one-by-one.ts";
import type { Ask, Connection } from "./connection.ts";
import { followEvents, toFollow } from "./follow-events.ts";
import { readAnswer } from "./read-answer.ts";
import { RemoteSession } from "./remote-session.ts";
import {
  openedSessionShape,
  processListShape,
  runtimeListShape,
  runtimeReportShape,
  sessionListShape,
  sessionShape,
} from "./shapes.ts";
import { startOnce } from "./start-once.ts";

/** A Halyard that a server has. Disposing of it lets go of it: its sessions run on. */
export class RemoteHalyard implements Halyard {
  readonly #connection: Connection;
  /** Those that are being watched. */
  readonly #sessions = new Set<RemoteSession>();
  /** Makes a path mean the same to the server as it does here. */
  readonly #toAbsolute: (path: string) => string;
  readonly #leave = new AbortController();

  constructor(connection: Connection, toAbsolute: (path: string) => string) {
    this.#connection = connection;
    this.#toAbsolute = toAbsolute;
  }

  async runtimes(): Promise<RuntimeInfo[]> {
    return readAnswer(runtimeListShape, await this.#get("/v1/runtimes")).runtimes;
  }

  async examine(runtime: RuntimeName): Promise<RuntimeReport> {
    const path = `/v1/runtimes/${encodeURIComponent(runtime)}`;
    return readAnswer(runtimeReportShape, await this.#get(path));
  }

  async start(request: StartRequest): Promise<Session> {
    const { id = newSessionId(), cwd, record, accountDir } = request;
    if (!isSessionId(id))
      throw new HalyardError("invalid_input", `id: "${id}" is not a session id`);
    const body = {
      ...request,
      id,
      cwd: this.#toAbsolute(cwd),
      ...(record !== undefined && { record: this.#toAbsolute(record) }),
      ...(accountDir !== undefined && { accountDir: this.#toAbsolute(accountDir) }),
    };
    this.#requireOpen();
    const options = { retry: this.#connection.newRetry(), signal: this.#leave.signal };
    return this.#open(await startOnce(this.#connection, body, options));
  }

  async resume(id: string, options: ResumeOptions = {}): Promise<Session> {
    const record = options.record && { record: this.#toAbsolute(options.record) };
    const body = { ...options, ...record };
    return this.#open(await this.#ask("POST", `${pathOf(id)}/resume`, { body }));
  }

  async session(id: string): Promise<Session> {
    return this.#open(await this.#get(`${pathOf(id)}/running`));
  }

  async stop(id: string, reason?: string): Promise<void> {
    const body = reason === undefined ? {} : { reason };
    const ask = { body, isRepeatable: true };
    this.#tell(readAnswer(sessionShape, await this.#ask("POST", `${pathOf(id)}/stop`, ask)));
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    this.#requireOpen();
    if (!isSessionId(id)) return undefined;
    try {
      return readAnswer(sessionShape, await this.#get(pathOf(id)));
    } catch (error) {
      if (error instanceof HalyardError && error.code === "session_not_found") return undefined;
      throw error;
    }
  }

  async sessions(filter: SessionFilter = {}): Promise<SessionInfo[]> {
    const { labels = {}, ...rest } = filter;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined) query.append(name, String(value));
    for (const [name, value] of Object.entries(labels)) query.append("label", `${name}=${value}`);
    return readAnswer(sessionListShape, await this.#get(`/v1/sessions?${query}`)).sessions;
  }

  events(filter: EventFilter): AsyncGenerator<StreamEvent> {
    return oneByOne(this.batches(filter), filter.signal);
  }

  async *batches({ sessionId, ...options }: EventFilter): AsyncGenerator<readonly StreamEvent[]> {
    const id = requireSessionId(sessionId);
    yield* followEvents(this.#connection, id, this.#whileOpen(options));
  }

  async *allEvents(options: FollowOptions = {}): AsyncGenerator<PositionedEvent> {
    const follow = toFollow(this.#whileOpen(options));
    for await (const messages of this.#connection.follow("/v1/events", follow)) {
      for (const { id: position, data } of messages) {
        if (options.signal?.aborted) return;
        yield { position, event: JSON.parse(data) as StreamEvent };
      }
    }
  }

  async update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    const info = readAnswer(sessionShape, await this.#ask("PATCH", pathOf(id), { body: changes }));
    this.#tell(info);
    return info;
  }

  async remove(id: string): Promise<void> {
    await this.#ask("DELETE", pathOf(id));
  }

  async processes(): Promise<ProcessInfo[]> {
    return readAnswer(processListShape, await this.#get("/v1/processes")).processes;
  }

  async reap(): Promise<ProcessInfo[]> {
    return readAnswer(processListShape, await this.#ask("POST", "/v1/reap")).processes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort();
    for (const session of this.#sessions) session.close();
    this.#sessions.clear();
  }

  #get(path: string): Promise<unknown> {
    return this.#ask("GET", path, { isRepeatable: true });
  }

  async #ask(method: string, path: string, ask: Ask = {}): Promise<unknown> {
    this.#requireOpen();
    return this.#connection.ask(method, path, ask);
  }

  #requireOpen(): void {
    if (!this.#leave.signal.aborted) return;
    throw new HalyardError("invalid_input", "this Halyard was disposed of");
  }

  /** Tells whoever holds the session here what the server has just said of it. */
  #tell(info: SessionInfo): void {
    for (const session of this.#sessions) if (session.id === info.id) session.adopt(info);
  }

  /** The one that is watched already, unless the session was opened anew since. */
  #open(answer: unknown): Session {
    this.#requireOpen(); // it may have been disposed of meanwhile, and would watch for ever
    const session = readAnswer(openedSessionShape, answer);
    const { opened, openedAfter, ...info } = session;
    this.#tell(info); // it may have changed
    for (const watched of this.#sessions) if (watched.isSame(session)) return watched;
    return new RemoteSession(this.#connection, session, this.#sessions);
  }

  /** Reading ends with this Halyard, too. */
  #whileOpen(options: FollowOptions): FollowOptions {
    const { signal } = options;
    const leave = this.#leave.signal;
    return { ...options, signal: signal ? AbortSignal.any([signal, leave]) : leave };
  }
}

function pathOf(id: string): string {
  return `/v1/sessions/${requireSessionId(id)}`;
}
