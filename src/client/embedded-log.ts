import type { ErrorCode } from "../schema/error.ts";
import { errorTable } from "../schema/error-table.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { EmbeddedLog } from "../schema/page/embedded-log.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Returns a `fetch` that responds from a log as a server would, so that the page can show a session without a server.
 * Every request except GET receives the error `forbidden`. A GET for data that the log does not contain receives
 * `not_found` or `session_not_found`.
 */
export function embeddedFetch({ session, events }: EmbeddedLog): typeof fetch {
  const own = `/v1/sessions/${session.id}`;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const [, path = ""] = /(\/v1\/.*)$/.exec(url.pathname) ?? [];
    const query = url.searchParams;
    const wantsStream = new Headers(init.headers).get("accept") === "text/event-stream";
    if ((init.method ?? "GET") !== "GET")
      return problem(
        "forbidden",
        "This page is an exported session, which cannot be changed. Open the session on its server instead.",
      );
    switch (path) {
      case "/v1/health":
        return json({ status: "ok", pid: 0 });
      case "/v1/runtimes":
        return json({ runtimes: [] });
      case "/v1/sessions":
        return json({ sessions: isListed(session, query) ? [session] : [] });
      case "/v1/events/last":
        return json({ position: events.length });
      case "/v1/events":
        return stream(events, query, init.signal, { isEndless: true });
      case own:
        return json(session);
      case `${own}/events`:
        return wantsStream
          ? stream(events, query, init.signal, { isEndless: false })
          : json(pageOf(events, query));
    }
    const isSession = /^\/v1\/sessions\/[^/]+$/.test(path);
    return problem(
      isSession ? "session_not_found" : "not_found",
      "This page contains only one exported session. Open the server's page for other data.",
    );
  };
}

function isListed({ state }: SessionInfo, query: URLSearchParams): boolean {
  const states = query.get("states");
  return states === null || states.split(",").includes(state);
}

/** Returns the events that a query selects, as the server does. */
function pageOf(events: readonly StreamEvent[], query: URLSearchParams): object {
  const count = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const [before, tail, limit, after = 0] = ["before", "tail", "limit", "after"].map(count);
  if (before !== undefined || tail !== undefined) {
    const end = Math.min(events.length, Math.max(0, (before ?? events.length + 1) - 1));
    const some = events.slice(Math.max(0, end - (tail ?? limit ?? 500)), end);
    return { events: some, first: some[0]?.seq ?? 1, last: some.at(-1)?.seq ?? 0 };
  }
  const types = query.get("types")?.split(",");
  const rest = events.slice(after);
  const some = (types ? rest.filter(({ type }) => types.includes(type)) : rest).slice(0, limit);
  return { events: some, last: some.at(-1)?.seq ?? after };
}

/** Streams events. An endless stream stays open after the last event, unless the query contains `follow=false`. */
function stream(
  events: readonly StreamEvent[],
  query: URLSearchParams,
  signal: AbortSignal | null | undefined,
  { isEndless }: { readonly isEndless: boolean },
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      for (const event of events.slice(Number(query.get("after") ?? 0)))
        out.enqueue(encoder.encode(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`));
      if (isEndless && query.get("follow") !== "false")
        return signal?.addEventListener("abort", () => out.error(signal.reason), { once: true });
      out.enqueue(encoder.encode("event: end\ndata: {}\n\n"));
      out.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function json(value: object): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
}

function problem(code: ErrorCode, detail: string): Response {
  const { meaning: title, httpStatus: status, retryable } = errorTable[code];
  const body = { type: `/docs#error-${code}`, title, status, detail, code, retryable };
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify(body), { status, headers });
}
