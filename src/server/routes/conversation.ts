import { findSession } from "../../halyard/find-session.ts";
import { fork } from "../../halyard/fork.ts";
import { CommandList, ForkBody, OpenedSession } from "../../schema/http/http.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";
import { toOpened } from "./sessions.ts";

/** Routes for the conversation of a session. */
export const conversationRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/{id}/fork",
    operationId: "forkSession",
    summary:
      "Starts a session that continues a copy of the conversation, even if the original session has ended.",
    body: ForkBody,
    responses: { 201: json("The new session is running.", OpenedSession) },
    errors: ["unsupported", "not_resumable", "session_owned", "start_failed", "limit_exceeded"],
    async handle({ server: { halyard, basePath }, id, body }) {
      const session = await fork(halyard, (await findSession(halyard, id)).id, body);
      const headers = { location: `${basePath}/v1/sessions/${session.id}` };
      return respond(OpenedSession, toOpened(session), { status: 201, headers });
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}/commands",
    operationId: "listCommands",
    summary: "Lists the slash commands that the runtime of a running session accepts as messages.",
    responses: { 200: json("The commands.", CommandList) },
    errors: ["session_stopped", "session_owned", "unsupported"],
    async handle({ server: { halyard }, id }) {
      const session = await halyard.session((await findSession(halyard, id)).id);
      return respond(CommandList, { commands: await session.commands() });
    },
  }),
];
