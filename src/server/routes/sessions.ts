import { z } from "zod";
import { HalyardError, toErrorInfo } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Session } from "../../core/halyard.ts";
import { requireTaken } from "../../core/turn-results.ts";
import { OpenedSession, ResumeBody, SessionList, StartBody } from "../../schema/http.ts";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { SessionInfo } from "../../schema/session.ts";
import { SessionChanges } from "../../schema/session-changes.ts";
import { SessionState } from "../../schema/session-state.ts";
import { type Route, route } from "../route.ts";
import { json, nothing, respond } from "./answers.ts";

const LABEL = "expected name=value";

/** Which sessions to list. What is a list is given once for each of its items. */
export const SessionQuery = z.strictObject({
  /** Also separated by commas. */
  states: z.preprocess(splitList, z.array(SessionState)).exactOptional(),
  runtime: RuntimeName.exactOptional(),
  cwd: z.string().exactOptional(),
  project: z.string().exactOptional(),
  parent: SessionId.exactOptional(),
  runtimeSessionId: z.string().exactOptional(),
  /** All that it has to have, each as `name=value`. */
  label: z.preprocess(toList, z.array(z.string().regex(/^[^=]+=/, LABEL))).exactOptional(),
  limit: z.coerce.number().int().positive().exactOptional(),
});

/** Sessions as records: begun, found, changed, forgotten. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions",
    operationId: "startSession",
    summary:
      "Starts a session, and sends its first message where there is a `prompt`. Where that is not taken, the error names the session.",
    body: StartBody,
    answers: { 201: json("It runs; its events tell when it takes messages.", OpenedSession) },
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
    async handle({ server, body: { prompt, ...request } }) {
      if (prompt?.trim() === "") throw new HalyardError("invalid_input", "prompt: it is empty");
      const session = await server.halyard.start(request);
      if (prompt !== undefined) await sendFirst(session, prompt);
      const headers = { location: `/v1/sessions/${session.id}` };
      return respond(OpenedSession, toOpened(session), { status: 201, headers });
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions",
    operationId: "listSessions",
    summary: "Lists sessions, the newest first.",
    query: SessionQuery,
    answers: { 200: json("The sessions.", SessionList) },
    handle: async ({ server, query }) =>
      respond(SessionList, { sessions: await server.halyard.sessions(toFilter(query)) }),
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}",
    operationId: "getSession",
    summary: "Finds a session.",
    answers: { 200: json("The session.", SessionInfo) },
    handle: async ({ server, id }) => respond(SessionInfo, await findSession(server.halyard, id)),
  }),
  route({
    method: "patch",
    path: "/v1/sessions/{id}",
    operationId: "updateSession",
    summary: "Changes a session, whether or not it runs.",
    body: SessionChanges,
    answers: { 200: json("The session as it is now.", SessionInfo) },
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
    summary: "Ends a session if it lives, and forgets it.",
    answers: { 204: nothing },
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
      "Takes hold of a session that runs, or has its runtime continue it. Never starts afresh.",
    body: ResumeBody,
    answers: { 200: json("It runs, and takes messages.", OpenedSession) },
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
    summary: "Finds a session that runs here, with how it came to.",
    answers: { 200: json("It runs.", OpenedSession) },
    errors: ["session_stopped", "session_owned"],
    async handle({ server: { halyard }, id }) {
      const session = await halyard.session((await findSession(halyard, id)).id);
      return respond(OpenedSession, toOpened(session));
    },
  }),
];

async function sendFirst(session: Session, prompt: string): Promise<void> {
  try {
    await requireTaken(session.send(prompt));
  } catch (error) {
    const { code, message, phase } = toErrorInfo(error);
    const told = `${session.id} was started, but its prompt was not taken: ${message}`;
    throw new HalyardError(code, told, { cause: error, ...(phase && { phase }) });
  }
}

function toOpened({ info, opened, openedAfter }: Session): OpenedSession {
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

function splitList(value: unknown): unknown {
  const items = typeof value === "string" ? [value] : value;
  if (!Array.isArray(items)) return items;
  return items.flatMap((item) => String(item).split(",")).filter((item) => item !== "");
}
