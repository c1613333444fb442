import { HttpConnection } from "../../client/connection.ts";
import { newTurnId } from "../../errors/require-id.ts";
import type { Delivery, Receipt } from "../../schema/delivery.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { HealthReport, OpenedSession, SentTurn } from "../../schema/http/http.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { ExplainRequest, Explanation } from "../../schema/page/explanation.ts";
import type { SessionScreen } from "../../schema/page/screen.ts";
import type { CreatedShare, Share } from "../../schema/page/share.ts";
import type { Answer } from "../../schema/permission.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import type { SearchOrder, SearchResult } from "../../schema/search.ts";
import type { SessionChanges } from "../../schema/session/session-changes.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { UsageReport } from "../../schema/usage/usage-report.ts";
import type { AccountLimits } from "../../schema/usage-limit.ts";
import type { LineStatus } from "../state/line-status.ts";
import { observeFetch } from "./observe-fetch.ts";
import type { ChangeSet, NewSession } from "./shapes.ts";

/** The events that one request reads from a log. */
export interface LogPage {
  readonly events: readonly StreamEvent[];
}

/** The event that ends a turn. */
export type TurnCompletion = Extract<StreamEvent, { type: "completion" }>;

/** The server that serves this page, called through its public HTTP API. */
export class Api {
  readonly #connection: HttpConnection;
  /** The URL at which the page is mounted. */
  readonly base: URL;

  /** `send` replaces `fetch` on a page without a server, such as an exported session. */
  constructor(base: URL, status: LineStatus, send?: typeof fetch) {
    const endpoint = {
      name: base.origin,
      base,
      fetch: observeFetch(status, send),
      toAbsolute: (path: string) => path,
    };
    this.base = base;
    this.#connection = new HttpConnection(endpoint, {
      token: undefined, // no token, because the browser sends the sign-in cookie
      reconnectMs: Number.POSITIVE_INFINITY,
    });
  }

  /** Follows all sessions' events after this position, and reconnects when the connection is lost. */
  async *follow(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly { position: number; event: StreamEvent }[]> {
    for await (const batch of this.#connection.follow("/v1/events", { after, signal })) {
      yield batch.map(({ id, data }) => ({ position: id, event: JSON.parse(data) as StreamEvent }));
    }
  }

  /** Follows one session's events after this `seq`, until the session ends. */
  async *followSession(
    id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamEvent[]> {
    const path = `/v1/sessions/${id}/events`;
    for await (const batch of this.#connection.follow(path, { after, signal })) {
      yield batch.map(({ data }) => JSON.parse(data) as StreamEvent);
    }
  }

  /** Returns the position of the last event across all sessions. */
  async position(): Promise<number> {
    return (await this.#get<{ position: number }>("/v1/events/last")).position;
  }

  async sessions(query: Readonly<Record<string, string>>): Promise<SessionInfo[]> {
    const path = `/v1/sessions?${new URLSearchParams(query)}`;
    return (await this.#get<{ sessions: SessionInfo[] }>(path)).sessions;
  }

  find(id: string): Promise<SessionInfo> {
    return this.#get(`/v1/sessions/${id}`);
  }

  /**
   * Reads at most `limit` events with a `seq` above `after`. `limit` defaults to all events. `types` is a comma-separated
   * list of event types.
   */
  window(
    id: string,
    { after, limit, types }: { after: number; limit?: number; types?: string },
  ): Promise<LogPage> {
    const query = new URLSearchParams({
      follow: "false",
      after: String(after),
      ...(limit !== undefined && { limit: String(limit) }),
      ...(types !== undefined && { types }),
    });
    return this.#get(`/v1/sessions/${id}/events?${query}`);
  }

  /** Reads the ends of all turns with a `seq` above `after`. */
  async completions(id: string, after: number): Promise<readonly TurnCompletion[]> {
    const { events } = await this.window(id, { after, types: "completion" });
    return events.filter((event) => event.type === "completion");
  }

  async runtimes(): Promise<RuntimeInfo[]> {
    return (await this.#get<{ runtimes: RuntimeInfo[] }>("/v1/runtimes")).runtimes;
  }

  start(request: NewSession): Promise<OpenedSession> {
    return this.#post("/v1/sessions", request);
  }

  /**
   * Sends a message. The caller chooses the id, so that the page can show the message before the server has received
   * it.
   */
  send(
    id: string,
    input: string,
    { delivery, turnId = newTurnId() }: { delivery?: Delivery; turnId?: string } = {},
  ): Promise<Sent> {
    const body = { id: turnId, input, ...(delivery && { delivery }) };
    return this.#post<SentTurn>(`/v1/sessions/${id}/turns`, body, { isRepeatable: true });
  }

  answer(id: string, requestId: string, answer: Answer): Promise<SessionInfo> {
    return this.#post(`/v1/sessions/${id}/answers`, { requestId, ...answer });
  }

  interrupt(id: string): Promise<SessionInfo> {
    return this.#post(`/v1/sessions/${id}/interrupt`, {});
  }

  stop(id: string): Promise<SessionInfo> {
    return this.#post(`/v1/sessions/${id}/stop`, { reason: "stopped on the page" });
  }

  /** Starts a session that continues a copy of the conversation. */
  fork(id: string): Promise<OpenedSession> {
    return this.#post(`/v1/sessions/${id}/fork`, {});
  }

  /** Starts a turn in which the runtime replaces the conversation with a summary. */
  compact(id: string): Promise<Sent> {
    return this.#post(`/v1/sessions/${id}/compact`, { id: newTurnId() }, { isRepeatable: true });
  }

  /** Lists the models that a runtime offers. */
  async models(runtime: string): Promise<readonly ModelInfo[]> {
    const path = `/v1/runtimes/${encodeURIComponent(runtime)}/models`;
    return (await this.#request<{ models: ModelInfo[] }>("GET", path)).models;
  }

  resume(id: string): Promise<OpenedSession> {
    return this.#post(`/v1/sessions/${id}/resume`, {});
  }

  update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    return this.#request("PATCH", `/v1/sessions/${id}`, { body: changes });
  }

  async remove(id: string): Promise<void> {
    await this.#request("DELETE", `/v1/sessions/${id}`);
  }

  changes(id: string, turnId?: string): Promise<ChangeSet> {
    const query = turnId === undefined ? "" : `?${new URLSearchParams({ turnId })}`;
    return this.#get(`/v1/sessions/${id}/changes${query}`);
  }

  /** Restores the files to their state at the end of a turn. */
  async rewind(id: string, to: string): Promise<void> {
    await this.#post(`/v1/sessions/${id}/rewind`, { to });
  }

  /** Returns the usage of all sessions since a day in UTC, such as `2026-11-10`. */
  usage(since: string): Promise<UsageReport> {
    return this.#get(`/v1/usage?${new URLSearchParams({ since })}`);
  }

  /** Returns the usage limits of all accounts. */
  async limits(): Promise<readonly AccountLimits[]> {
    return (await this.#get<{ accounts: AccountLimits[] }>("/v1/limits")).accounts;
  }

  /** Searches the content of all sessions or of one session. Returns the newest hits first by default. */
  search(
    words: string,
    limit: number,
    filter: { readonly session?: string; readonly order?: SearchOrder } = {},
  ): Promise<SearchResult> {
    const query = new URLSearchParams({ q: words, limit: String(limit), ...filter });
    return this.#get(`/v1/search?${query}`);
  }

  /** Returns a session's tmux screen. */
  screen(id: string): Promise<SessionScreen> {
    return this.#request("GET", `/v1/sessions/${id}/screen`);
  }

  /** Returns the settings that a new session in a directory would have, with the source of each. */
  explain(request: ExplainRequest): Promise<Explanation> {
    return this.#request("GET", `/v1/explain?${new URLSearchParams({ ...request })}`);
  }

  health(): Promise<HealthReport> {
    return this.#get("/v1/health");
  }

  /** Returns the session as a Markdown document. */
  async markdown(id: string): Promise<string> {
    const url = new URL(`v1/sessions/${id}/export?format=markdown`, this.base);
    const response = await fetch(url);
    if (!response.ok)
      throw new Error(`The export failed with status ${response.status}. Try again.`);
    return response.text();
  }

  /** Creates a link that gives read-only access to the session. The link works in every browser that reaches the server. */
  share(id: string, lifetimeMs: number): Promise<CreatedShare> {
    return this.#post(`/v1/sessions/${id}/shares`, { lifetimeMs });
  }

  async shares(): Promise<readonly Share[]> {
    return (await this.#get<{ shares: Share[] }>("/v1/shares")).shares;
  }

  async unshare(id: string): Promise<void> {
    await this.#request("DELETE", `/v1/sessions/${id}/shares`);
  }

  /** Exchanges a link's secret for a cookie that gives access to one session. */
  openShare(secret: string): Promise<Share> {
    return this.#post("/v1/shares/open", { secret });
  }

  /** Signs out this browser. If `all` is true, signs out all browsers and revokes all links. */
  async signOut({ all = false } = {}): Promise<void> {
    await this.#request("DELETE", `/v1/sign-in?all=${all}`);
  }

  /** Exchanges a one-time code for a sign-in cookie. */
  async signIn(code: string): Promise<void> {
    await this.#post("/v1/sign-in", { code });
  }

  #get<T>(path: string): Promise<T> {
    return this.#request("GET", path, { isRepeatable: true });
  }

  #post<T>(path: string, body: unknown, { isRepeatable = false } = {}): Promise<T> {
    return this.#request("POST", path, { body, isRepeatable });
  }

  /** Sends a request. Does not validate the response, because the server already checks it against its schema. */
  async #request<T>(
    method: string,
    path: string,
    options: { body?: unknown; isRepeatable?: boolean } = {},
  ): Promise<T> {
    return (await this.#connection.request(method, path, options)) as T;
  }
}

/** The response to a message. */
export interface Sent {
  readonly id: string;
  readonly receipt: Receipt;
  readonly outcome?: Outcome | undefined;
}
