import { z } from "zod";
import type { Session } from "../../contracts/halyard.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { messageOf } from "../../halyard/message-of.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import { OpenedSession, ResumeBody, SessionList, StartBody } from "../../schema/http/http.ts";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { SessionChanges } from "../../schema/session/session-changes.ts";
import { SessionState } from "../../schema/session/session-state.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import { SessionInfo } from "../../schema/session.ts";
import { traceParentOf } from "../headers.ts";
import { type Route, route } from "../route.ts";
import { json, noContent, respond } from "./responses.ts";

const LABEL = "expected name=value";

/** Filter for the list of sessions. A list parameter can be repeated. */
export const SessionQuery = z.strictObject({
  /** The states of the sessions. Can also be a comma-separated list. */
  states: z.preprocess(splitList, z.array(SessionState)).exactOptional(),
  runtime: RuntimeName.exactOptional(),
  cwd: z.string().exactOptional(),
  project: z.string().exactOptional(),
  parent: SessionId.exactOptional(),
  runtimeSessionId: z.string().exactOptional(),
  /** Required labels, each as `name=value`. */
  label: z.preprocess(toList, z.array(z.string().regex(/^[^=]+=/, LABEL))).exactOptional(),
  /** Returns only sessions without activity since this time. */
  updatedBefore: z.iso.datetime().exactOptional(),
  offset: z.coerce.number().int().nonnegative().exactOptional(),
  limit: z.coerce.number().int().positive().exactOptional(),
});

/** Routes that create, find, change and remove sessions. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions",
    operationId: "startSession",
    summary:
      "Starts a session and sends `prompt`, if given, as its first message. If the prompt cannot be sent, the error names the session.",
    body: StartBody,
    responses: {
      201: json(
        "The session is running. An event reports when it is ready for messages.",
        OpenedSession,
      ),
    },
    errors: [
      "unknown_runtime",
      "runtime_unavailable",
      "unsupported",
      "start_failed",
      "limit_exceeded",
      "project_not_found",
      "delivery_failed",
      "store_full",
      "store_locked",
    ],
    async handle({ server, request: call, body }) {
      const { prompt, images, files, schema, ...request } = body;
      if (prompt?.trim() === "")
        throw new HalyardError(
          "invalid_input",
          "prompt: must not be empty. Send a message, or omit the prompt.",
        );
      if (prompt === undefined && (images ?? files ?? schema) !== undefined)
        throw new HalyardError(
          "invalid_input",
          "prompt: is required with images, files or schema. Add a prompt, or omit these fields.",
        );
      requireAbsolute(request);
      const session = await server.halyard.start(request);
      if (prompt !== undefined) {
        const message = messageOf(prompt, { images, files, schema });
        await sendFirst(session, message, traceParentOf(call));
      }
      const headers = { location: `${server.basePath}/v1/sessions/${session.id}` };
      return respond(OpenedSession, toOpened(session), { status: 201, headers });
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions",
    operationId: "listSessions",
    summary: "Lists sessions, newest first.",
    query: SessionQuery,
    responses: { 200: json("The sessions.", SessionList) },
    handle: async ({ server, query }) =>
      respond(SessionList, { sessions: await server.halyard.sessions(toFilter(query)) }),
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}",
    operationId: "getSession",
    summary: "Returns a session.",
    isShared: true,
    responses: { 200: json("The session.", SessionInfo) },
    handle: async ({ server, id }) => respond(SessionInfo, await findSession(server.halyard, id)),
  }),
  route({
    method: "patch",
    path: "/v1/sessions/{id}",
    operationId: "updateSession",
    summary: "Changes the name, labels or settings of a session, even if it is not running.",
    body: SessionChanges,
    responses: { 200: json("The session after the change.", SessionInfo) },
    errors: ["session_owned", "unsupported"],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      return respond(SessionInfo, await halyard.update(found.id, body));
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/{id}",
    operationId: "removeSession",
    summary: "Stops a session and removes it with its log.",
    responses: { 204: noContent },
    errors: ["session_owned"],
    async handle({ server: { halyard }, id }) {
      await halyard.remove((await findSession(halyard, id)).id);
      return new Response(null, { status: 204 });
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/resume",
    operationId: "resumeSession",
    summary:
      "Attaches to a session's running runtime, or starts the runtime again with the same conversation. Never starts a new conversation.",
    body: ResumeBody,
    responses: { 200: json("The session is running and ready for messages.", OpenedSession) },
    errors: ["session_owned", "not_resumable", "runtime_session_not_found"],
    async handle({ server: { halyard }, id, body }) {
      const session = await halyard.resume((await findSession(halyard, id)).id, body);
      return respond(OpenedSession, toOpened(session));
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}/running",
    operationId: "getRunningSession",
    summary: "Returns a running session and how it was opened.",
    responses: { 200: json("The session is running.", OpenedSession) },
    errors: ["session_stopped", "session_owned"],
    async handle({ server: { halyard }, id }) {
      const session = await halyard.session((await findSession(halyard, id)).id);
      return respond(OpenedSession, toOpened(session));
    },
  }),
];

async function sendFirst(
  session: Session,
  prompt: string | MessageInput,
  traceparent: string | undefined,
): Promise<void> {
  try {
    await requireTaken(session.send(prompt, { traceparent }));
  } catch (error) {
    const { code, message, phase } = toErrorInfo(error);
    const detail = `Session ${session.id} was started, but its prompt was not accepted: ${message}`;
    throw new HalyardError(code, detail, { cause: error, ...(phase && { phase }) });
  }
}

export function toOpened({ info, opened, openedAfter }: Session): OpenedSession {
  return { ...info, opened, openedAfter };
}

export function toFilter({ label, ...query }: z.output<typeof SessionQuery>) {
  return { ...query, ...(label && { labels: Object.fromEntries(label.map(toPair)) }) };
}

function toPair(label: string): [name: string, value: string] {
  const at = label.indexOf("=");
  return [label.slice(0, at), label.slice(at + 1)];
}

function toList(value: unknown): unknown {
  return typeof value === "string" ? [value] : value;
}

/** Rejects a relative working directory, unless it is relative to the request's repository or uploaded files. */
function requireAbsolute({ cwd, repository, upload }: StartRequest): void {
  if (repository === undefined && upload === undefined && !cwd.startsWith("/"))
    throw new HalyardError(
      "invalid_input",
      "cwd: must be an absolute path, such as /home/me/project.",
    );
}

function splitList(value: unknown): unknown {
  const items = typeof value === "string" ? [value] : value;
  if (!Array.isArray(items)) return items;
  return items.flatMap((item) => String(item).split(",")).filter((item) => item !== "");
}
