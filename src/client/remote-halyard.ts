import { anySignal } from "../async/any-signal.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import type { InspectOptions } from "../contracts/inspection.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { PositionedEvent, SearchOptions, SessionFilter } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { isSessionId, requireSessionId } from "../errors/require-id.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtimes/runtime-info.ts";
import type { SearchResult } from "../schema/search.ts";
import type { ProcessInfo } from "../schema/session/process.ts";
import type { PruneOptions, PruneResult } from "../schema/session/retention.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { UsageFilter, UsageReport } from "../schema/usage/usage-report.ts";
import type { AccountLimits } from "../schema/usage-limit.ts";
import type {
  Changes,
  ChangesQuery,
  RewindRequest,
  Rewound,
} from "../schema/workspace/checkpoint.ts";
import { oneByOne } from "../wire/one-by-one.ts";
import type { HttpConnection, RequestOptions } from "./connection.ts";
import { followEvents, toFollow } from "./follow-events.ts";
import { readResponse } from "./read-response.ts";
import { remoteRaces } from "./remote-races.ts";
import { RemoteSession } from "./remote-session.ts";
import { nativeSessionRequest } from "./requests/native-session-request.ts";
import { startOnce, toStartBody } from "./requests/start-once.ts";
import {
  accountListShape,
  adoptedShape,
  changesShape,
  eventWindowShape,
  explanationShape,
  modelListShape,
  nativeSessionListShape,
  openedSessionShape,
  positionShape,
  processListShape,
  prunedListShape,
  pruneResultShape,
  rewoundShape,
  runtimeListShape,
  runtimeReportShape,
  screenShape,
  searchResultShape,
  sessionListShape,
  sessionShape,
  usageReportShape,
  worktreeListShape,
} from "./response-shapes.ts";

/** The client of a Halyard instance that runs in a server. Disposing closes the connection; the sessions keep running. */
export class RemoteHalyard implements Halyard {
  readonly #connection: HttpConnection;
  /** Sessions whose events are being followed. */
  readonly #sessions = new Set<RemoteSession>();
  /** Makes a path absolute if client and server share a file system; otherwise returns it unchanged. */
  readonly #toAbsolute: (path: string) => string;
  readonly #closing = new AbortController();

  readonly races: Halyard["races"];

  constructor(connection: HttpConnection, toAbsolute: (path: string) => string) {
    this.#connection = connection;
    this.#toAbsolute = toAbsolute;
    const request = this.#request.bind(this);
    this.races = remoteRaces({ request, toAbsolute, closing: this.#closing.signal });
  }

  async runtimes(): Promise<RuntimeInfo[]> {
    return readResponse(runtimeListShape, await this.#get("/v1/runtimes")).runtimes;
  }

  async inspect(runtime: RuntimeName, options?: InspectOptions): Promise<RuntimeReport> {
    const path = `${runtimePath(runtime)}?schema=${options?.schema === true}`;
    return readResponse(runtimeReportShape, await this.#get(path));
  }

  async models(runtime: RuntimeName): Promise<ModelInfo[]> {
    return readResponse(modelListShape, await this.#get(`${runtimePath(runtime)}/models`)).models;
  }

  readonly nativeSessions: Halyard["nativeSessions"] = async (runtime, query = {}) => {
    const path = `${runtimePath(runtime)}/sessions`;
    const answer = await this.#request(...nativeSessionRequest(path, query, this.#toAbsolute));
    return readResponse(nativeSessionListShape, answer).sessions;
  };

  async start(request: StartRequest): Promise<Session> {
    const body = toStartBody(request, this.#toAbsolute);
    this.#requireOpen();
    const options = { retry: this.#connection.newRetry(), signal: this.#closing.signal };
    return this.#open(await startOnce(this.#connection, body, options));
  }

  async resume(id: string, options: ResumeOptions = {}): Promise<Session> {
    const record = options.record && { record: this.#toAbsolute(options.record) };
    const body = { ...options, ...record };
    return this.#open(await this.#request("POST", `${pathOf(id)}/resume`, { body }));
  }

  async session(id: string): Promise<Session> {
    return this.#open(await this.#get(`${pathOf(id)}/running`));
  }

  async stop(id: string, reason?: string): Promise<void> {
    const options = { body: reason === undefined ? {} : { reason }, isRepeatable: true };
    const stopped = await this.#request("POST", `${pathOf(id)}/stop`, options);
    this.#updateOpened(readResponse(sessionShape, stopped));
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    this.#requireOpen();
    if (!isSessionId(id)) return undefined;
    try {
      return readResponse(sessionShape, await this.#get(pathOf(id)));
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
    return readResponse(sessionListShape, await this.#get(`/v1/sessions?${query}`)).sessions;
  }

  events(id: string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return oneByOne(this.batches(id, options), options.signal);
  }

  async *batches(id: string, options: FollowOptions = {}): AsyncGenerator<readonly StreamEvent[]> {
    yield* followEvents(this.#connection, requireSessionId(id), this.#whileOpen(options));
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

  async window(id: string, { before, limit = 500 }: WindowOptions = {}): Promise<EventWindow> {
    const range = before === undefined ? { tail: limit } : { before, limit };
    const query = new URLSearchParams({ follow: "false" });
    for (const [name, value] of Object.entries(range)) query.append(name, String(value));
    return readResponse(eventWindowShape, await this.#get(`${pathOf(id)}/events?${query}`));
  }

  async position(): Promise<number> {
    return readResponse(positionShape, await this.#get("/v1/events/last")).position;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { sessions, ...rest } = options;
    if (sessions?.length === 0) return { hits: [], pending: 0 };
    const parameters = new URLSearchParams({ q: query });
    for (const id of sessions ?? []) parameters.append("session", requireSessionId(id));
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined) parameters.append(name, String(value));
    return readResponse(searchResultShape, await this.#get(`/v1/search?${parameters}`));
  }

  async metrics(): Promise<string> {
    const options = { isText: true, isRepeatable: true };
    return String(await this.#connection.request("GET", "/metrics", options));
  }

  readonly screen: Halyard["screen"] = async (id) =>
    readResponse(screenShape, await this.#get(`${pathOf(id)}/screen`));

  readonly explain: Halyard["explain"] = async ({ cwd, ...rest }) => {
    const query = new URLSearchParams({ cwd: this.#toAbsolute(cwd), ...rest });
    return readResponse(explanationShape, await this.#get(`/v1/explain?${query}`));
  };

  async usage({ since }: UsageFilter = {}): Promise<UsageReport> {
    const query = since === undefined ? "" : `?${new URLSearchParams({ since })}`;
    return readResponse(usageReportShape, await this.#get(`/v1/usage${query}`));
  }

  async limits(): Promise<AccountLimits[]> {
    return readResponse(accountListShape, await this.#get("/v1/limits")).accounts;
  }

  async update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    const info = readResponse(
      sessionShape,
      await this.#request("PATCH", pathOf(id), { body: changes }),
    );
    this.#updateOpened(info);
    return info;
  }

  async changes(id: string, query: ChangesQuery = {}): Promise<Changes> {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const path = `${pathOf(id)}/changes?${new URLSearchParams(given)}`;
    return readResponse(changesShape, await this.#get(path));
  }

  async rewind(id: string, request: RewindRequest): Promise<Rewound> {
    const path = `${pathOf(id)}/rewind`;
    return readResponse(rewoundShape, await this.#request("POST", path, { body: request }));
  }

  async remove(id: string): Promise<void> {
    await this.#request("DELETE", pathOf(id));
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const answer = await this.#request("POST", "/v1/prune", { body: options });
    return readResponse(pruneResultShape, answer);
  }

  async processes(): Promise<ProcessInfo[]> {
    return readResponse(processListShape, await this.#get("/v1/processes")).processes;
  }

  async reap(): Promise<ProcessInfo[]> {
    return readResponse(processListShape, await this.#request("POST", "/v1/reap")).processes;
  }

  readonly worktrees: Halyard["worktrees"] = async () =>
    readResponse(worktreeListShape, await this.#get("/v1/worktrees")).worktrees;

  readonly pruneWorktrees: Halyard["pruneWorktrees"] = async (body = {}) => {
    const answer = await this.#request("POST", "/v1/worktrees/prune", { body });
    return readResponse(prunedListShape, answer).worktrees;
  };

  readonly adopt: Halyard["adopt"] = async (id, request) => {
    const body = { ...request, cwd: this.#toAbsolute(request.cwd) };
    return readResponse(adoptedShape, await this.#request("POST", `${pathOf(id)}/adopt`, { body }));
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const session of this.#sessions) session.close();
    this.#sessions.clear();
  }

  #get(path: string): Promise<unknown> {
    return this.#request("GET", path, { isRepeatable: true });
  }

  async #request(method: string, path: string, options: RequestOptions = {}): Promise<unknown> {
    this.#requireOpen();
    return this.#connection.request(method, path, options);
  }

  #requireOpen(): void {
    if (!this.#closing.signal.aborted) return;
    throw new HalyardError(
      "invalid_input",
      "This Halyard instance has been disposed. Create or connect another instance.",
    );
  }

  /** Updates the open handles of a session with the state that the server returned. */
  #updateOpened(info: SessionInfo): void {
    for (const session of this.#sessions) if (session.id === info.id) session.adopt(info);
  }

  /** Returns the existing handle of a session, or a new handle if there is none or the session was opened again. */
  #open(answer: unknown): Session {
    this.#requireOpen(); // a handle that was created after disposal would never be closed
    const session = readResponse(openedSessionShape, answer);
    const { opened, openedAfter, ...info } = session;
    this.#updateOpened(info); // the state may have changed since the handle was created
    for (const watched of this.#sessions) if (watched.isSame(session)) return watched;
    return new RemoteSession(this.#connection, session, this.#sessions);
  }

  /** Returns options whose signal also aborts when this instance is disposed. */
  #whileOpen(options: FollowOptions): FollowOptions {
    const { signal } = options;
    const closing = this.#closing.signal;
    // A separate signal for each reader, because Node warns about many listeners on one signal.
    return { ...options, signal: anySignal(signal ? [signal, closing] : [closing]) };
  }
}

const runtimePath = (runtime: RuntimeName) => `/v1/runtimes/${encodeURIComponent(runtime)}`;
const pathOf = (id: string) => `/v1/sessions/${requireSessionId(id)}`;
