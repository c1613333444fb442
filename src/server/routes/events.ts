import { z } from "zod";
import type { WindowOptions } from "../../contracts/read-log.ts";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { htmlPage, readPageParts } from "../../halyard/html-page.ts";
import { toMarkdown } from "../../halyard/markdown.ts";
import { StreamEvent } from "../../schema/event.ts";
import { EventPage, LastPosition, PositionedPage, SessionExport } from "../../schema/http/http.ts";
import { plainHeaders } from "../headers.ts";
import { type Call, type Route, route } from "../route.ts";
import { eventFrames } from "../streams/event-frames.ts";
import { atMost, jsonLines, jsonList } from "../streams/json-list.ts";
import { positionedFrames, positionedPages } from "../streams/positioned-frames.ts";
import { textPieces } from "../streams/text-pieces.ts";
import { json, respond } from "./responses.ts";

const cursor = z.coerce.number().int().nonnegative();
const EventType = z.enum(StreamEvent.options.map(({ shape }) => shape.type.value));

const FollowQuery = z.strictObject({
  /** Returns only events after this one. If `Last-Event-ID` is also given, the higher value is used. */
  after: cursor.exactOptional(),
  /** `false` returns only existing events, as JSON, or as server-sent events if `Accept` requests them. Defaults to `true`. */
  follow: z.enum(["true", "false"]).exactOptional(),
  /** The maximum number of existing events, for JSON only. Defaults to no limit. */
  limit: z.coerce.number().int().positive().exactOptional(),
});

const EventQuery = FollowQuery.extend({
  /** Returns the last `limit` events before this one, as JSON. `limit` defaults to 500 and is at most 10,000. */
  before: cursor.exactOptional(),
  /** Returns this number of events from the end of the log, as JSON. At most 10,000. */
  tail: z.coerce.number().int().positive().exactOptional(),
  /** Returns only events of these comma-separated types. */
  types: z
    .preprocess((text) => (typeof text === "string" ? text.split(",") : text), z.array(EventType))
    .exactOptional(),
});

const lastEventId = {
  "Last-Event-ID":
    "Id of the last event that was received. Only later events are sent. If `after` is also given, the larger value is used.",
};

/** Routes that read events from a cursor. */
export const eventRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions/{id}/events",
    operationId: "followSession",
    summary:
      "Streams a session's events after `after` until the session ends. With `follow=false`, `before` or `tail`, returns existing events.",
    query: EventQuery,
    isShared: true,
    headers: lastEventId,
    responses: {
      200: {
        description: "The events. A stream that reaches the end of the log sends `event: end`.",
        content: { "text/event-stream": undefined, "application/json": EventPage },
      },
    },
    async handle(call) {
      const { server, id, query } = call;
      const { id: sessionId } = await findSession(server.halyard, id);
      const range = windowRange(query);
      if (range) {
        const { events, first, last } = await server.halyard.window(sessionId, range);
        return respond(EventPage, { events: [...events], first, last });
      }
      const after = readAfter(call);
      const follow = query.follow !== "false";
      const read = (signal: AbortSignal) =>
        server.halyard.batches(sessionId, { after, follow, signal });
      if (wantsStream(call)) {
        const { basePath, onFault } = server;
        const frames = (signal: AbortSignal) =>
          eventFrames(read(signal), { signal, basePath, onFault, types: query.types });
        return stream(server.streams.body(frames, { beats: true }), "text/event-stream");
      }
      const { limit = Number.POSITIVE_INFINITY, types } = query;
      const pages = (signal: AbortSignal) =>
        jsonList(
          atMost(only(read(signal), types), limit),
          '{"events":[',
          (last) => `],"last":${last?.seq ?? after}}`,
        );
      return stream(server.streams.body(pages), "application/json");
    },
  }),
  route({
    method: "get",
    path: "/v1/events",
    operationId: "followAll",
    summary: "Streams the events of all sessions, or returns the existing events.",
    query: FollowQuery,
    headers: lastEventId,
    responses: {
      200: {
        description: "The events. In a stream, the id of an event is its position.",
        content: { "text/event-stream": undefined, "application/json": PositionedPage },
      },
    },
    async handle(call) {
      const { server, query } = call;
      const after = readAfter(call);
      const follow = query.follow !== "false";
      const read = (signal: AbortSignal) => server.halyard.allEvents({ after, follow, signal });
      if (wantsStream(call)) {
        const { basePath, onFault } = server;
        const frames = (signal: AbortSignal) =>
          positionedFrames(read(signal), { signal, basePath, onFault });
        return stream(server.streams.body(frames, { beats: true }), "text/event-stream");
      }
      const { limit = Number.POSITIVE_INFINITY } = query;
      const pages = (signal: AbortSignal) =>
        jsonList(
          atMost(positionedPages(read(signal)), limit),
          '{"events":[',
          (last) => `],"last":${last?.position ?? after}}`,
        );
      return stream(server.streams.body(pages), "application/json");
    },
  }),
  route({
    method: "get",
    path: "/v1/events/last",
    operationId: "getLastPosition",
    summary:
      "Returns the position of the last event across all sessions. Pass it as `after` to follow only new events.",
    responses: { 200: json("The position.", LastPosition) },
    handle: async ({ server }) =>
      respond(LastPosition, { position: await server.halyard.position() }),
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}/export",
    operationId: "exportSession",
    summary:
      "Exports a session's log: one event per line, the session and its events as one document, Markdown, or one HTML file that shows the session without a server.",
    query: z.strictObject({
      format: z.enum(["jsonl", "json", "markdown", "html"]).default("jsonl"),
    }),
    isShared: true,
    responses: {
      200: {
        description: "The log.",
        content: {
          "application/jsonl": undefined,
          "application/json": SessionExport,
          "text/markdown": undefined,
          "text/html": undefined,
        },
      },
    },
    errors: ["unsupported"],
    async handle({ server, id, query }) {
      const session = await findSession(server.halyard, id);
      const read = (signal: AbortSignal) =>
        server.halyard.batches(session.id, { follow: false, signal });
      if (query.format === "jsonl") {
        return stream(
          server.streams.body((signal) => jsonLines(read(signal))),
          "application/jsonl",
        );
      }
      if (query.format === "markdown") {
        const pieces = (signal: AbortSignal) => encoded(toMarkdown(session, read(signal)));
        return stream(server.streams.body(pieces), "text/markdown; charset=utf-8");
      }
      const before = `{"session":${JSON.stringify(session)},"events":[`;
      const document = (signal: AbortSignal) => jsonList(read(signal), before, () => "]}");
      if (query.format === "json") return stream(server.streams.body(document), "application/json");
      const parts = await readPageParts();
      const file = (signal: AbortSignal) =>
        encoded(htmlPage(parts, session, decoded(document(signal))));
      return stream(server.streams.body(file), "text/html; charset=utf-8", downloadHeaders);
    },
  }),
];

/** Returns the range of a window, or undefined if the query does not request one. */
function windowRange(query: z.output<typeof EventQuery>): WindowOptions | undefined {
  const { before, tail, limit, after, follow, types } = query;
  if (before === undefined && tail === undefined) return undefined;
  const name = before === undefined ? "tail" : "before";
  const isAlone = before === undefined ? limit === undefined : tail === undefined;
  if (isAlone && after === undefined && follow !== "true" && types === undefined)
    return before === undefined ? { limit: tail } : { before, limit };
  throw new HalyardError(
    "invalid_input",
    `${name}: cannot be combined with ${name === "tail" ? "limit, " : "tail, "}after, types or follow=true. Remove the other parameters.`,
  );
}

function stream(
  body: ReadableStream<Uint8Array>,
  type: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const chunked = { "transfer-encoding": "chunked", "x-accel-buffering": "no" };
  const headers = { ...plainHeaders, ...chunked, ...more, "content-type": type };
  return new Response(body, { headers });
}

/** With these headers, a browser saves the file and never runs its script in this server's origin. */
const downloadHeaders = {
  "content-disposition": "attachment",
  "content-security-policy": "sandbox",
};

type FollowCall = Call<z.output<typeof FollowQuery>>;

/** Returns the higher of `after` and `Last-Event-ID`. A reconnecting reader sends its original URL plus the header. */
function readAfter({ query: { after = 0 }, request }: FollowCall): number {
  const parsed = cursor.safeParse(request.headers.get("last-event-id") ?? 0);
  if (parsed.success) return Math.max(after, parsed.data);
  throw new HalyardError(
    "invalid_input",
    "The header Last-Event-ID must be the id of an event, such as 42. Send the id of an event, or omit the header.",
  );
}

function wantsStream({ query, request }: FollowCall): boolean {
  const accept = request.headers.get("accept") ?? "";
  return query.follow !== "false" || accept.includes("text/event-stream");
}

async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield* textPieces([text]);
}

async function* only(
  batches: AsyncIterable<readonly StreamEvent[]>,
  types: readonly StreamEvent["type"][] | undefined,
): AsyncGenerator<readonly StreamEvent[]> {
  for await (const batch of batches) {
    yield types ? batch.filter(({ type }) => types.includes(type)) : batch;
  }
}
