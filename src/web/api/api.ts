import { HttpConnection } from "../../client/connection.ts";
import { newTurnId } from "../../errors/require-id.ts";
import type { Delivery, Receipt } from "../../schema/delivery.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { OpenedSession, SentTurn } from "../../schema/http.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { Answer } from "../../schema/permission.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import type { SearchResult } from "../../schema/search.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionChanges } from "../../schema/session-changes.ts";
import type { UsageReport } from "../../schema/usage/usage-report.ts";
import type { LineStatus } from "../state/line-status.ts";
import { observeFetch } from "./observe-fetch.ts";
import type { ChangeSet, NewSession } from "./shapes.ts";

/** The events of a part of a log. */
export interface LogPage {
  readonly events: readonly StreamEvent[];
}

/** The server that delivered this page, called through its public HTTP API. */
export class Api {
  readonly #connection: HttpConnection;
  /** Where the page is mounted. */
  readonly base: URL;

  /** `send` replaces the network, for a page without a server. */
  constructor(base: URL, status: LineStatus, send?: typeof fetch) {
    const endpoint = {
      name: base.origin,
      base,
      fetch: observeFetch(status, send),
      toAbsolute: (path: string) => path,
    };
    this.base = base;
    this.#connection = new HttpConnection(endpoint, {
      token: undefined, // the browser sends the cookie of the sign-in
      reconnectMs: Number.POSITIVE_INFINITY,
    });
  }

  /** Follows the events of all sessions after this position, across restarts of the server. */
  async *follow(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly { position: number; event: StreamEvent }[]> {
    for await (const batch of this.#connection.follow("/v1/events", { after, signal })) {
      yield batch.map(({ id, data }) => ({ position: id, event: JSON.parse(data) as StreamEvent }));
    }
  }

  /** Returns the position of the last event of all sessions. */
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

  /** Reads at most `limit` events after `after`. */
  window(
    id: string,
    { after, limit, types }: { after: number; limit: number; types?: string },
  ): Promise<LogPage> {
    const query = new URLSearchParams({
      follow: "false",
      after: String(after),
      limit: String(limit),
      ...(types !== undefined && { types }),
    });
    return this.#get(`/v1/sessions/${id}/events?${query}`);
  }

  async runtimes(): Promise<RuntimeInfo[]> {
    return (await this.#get<{ runtimes: RuntimeInfo[] }>("/v1/runtimes")).runtimes;
  }

  start(request: NewSession): Promise<OpenedSession> {
    return this.#post("/v1/sessions", request);
  }

  /** Sends a message. The caller chooses the id, so that it can show the message before the server has it. */
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

  /** Restores the files as they were at the end of a turn. */
  async rewind(id: string, to: string): Promise<void> {
    await this.#post(`/v1/sessions/${id}/rewind`, { to });
  }

  /** Returns the usage of all sessions since a day, such as `2026-11-10`. */
  usage(since: string): Promise<UsageReport> {
    return this.#get(`/v1/usage?${new URLSearchParams({ since })}`);
  }

  /** Finds what was said in all sessions, newest first. */
  search(words: string, limit: number): Promise<SearchResult> {
    return this.#get(`/v1/search?${new URLSearchParams({ q: words, limit: String(limit) })}`);
  }

  /** Exchanges a one-time code for the cookie of a sign-in. */
  async signIn(code: string): Promise<void> {
    await this.#post("/v1/sign-in", { code });
  }

  #get<T>(path: string): Promise<T> {
    return this.#request("GET", path, { isRepeatable: true });
  }

  #post<T>(path: string, body: unknown, { isRepeatable = false } = {}): Promise<T> {
    return this.#request("POST", path, { body, isRepeatable });
  }

  /** The server checks its responses against their schemas; the page does not repeat that. */
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
