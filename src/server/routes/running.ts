import type { z } from "zod";
import { findSession } from "../../core/find-session.ts";
import type { Session } from "../../core/halyard.ts";
import type { ErrorCode } from "../../schema/error.ts";
import { AnswerBody, InterruptBody, StopBody } from "../../schema/http.ts";
import { SessionInfo } from "../../schema/session.ts";
import { liveStates } from "../../schema/session-state.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./answers.ts";

interface Deed<Body extends z.ZodType> {
  readonly operationId: string;
  readonly summary: string;
  readonly body?: Body;
  readonly errors?: readonly ErrorCode[];
  /** Nothing is left to do where the session has ended. */
  readonly isDoneAtEnd?: boolean;
  perform(session: Session, body: z.output<Body>): Promise<void>;
}

/** What is done with a session that runs. Each answers with the session as it is afterwards. */
export const runningRoutes: readonly Route[] = [
  deed("interrupt", {
    operationId: "interruptTurn",
    summary: "Ends the turn under way, or the one named, as cancelled; answers when it has ended.",
    body: InterruptBody,
    isDoneAtEnd: true,
    perform: (session, options) => session.interrupt(options),
  }),
  deed("answers", {
    operationId: "answerRequest",
    summary: "Settles a request that the runtime waits for.",
    body: AnswerBody,
    errors: ["request_not_found"],
    perform: (session, { requestId, ...answer }) => session.answer(requestId, answer),
  }),
  deed("ping", {
    operationId: "pingSession",
    summary: "Asks whether the runtime is there and well.",
    errors: ["timed_out", "agent_exited"],
    perform: (session) => session.ping(),
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/stop",
    operationId: "stopSession",
    summary: "Ends a session with its runtime and all it started, also one that nobody holds.",
    body: StopBody,
    answers: { 200: json("The session as it is now.", SessionInfo) },
    errors: ["session_owned", "host_unavailable"],
    async handle({ server: { halyard }, id: text, body: { reason } }) {
      const { id } = await findSession(halyard, text);
      await halyard.stop(id, reason);
      return respond(SessionInfo, await findSession(halyard, id));
    },
  }),
  deed("detach", {
    operationId: "detachSession",
    summary:
      "Lets go of the session and leaves its runtime running, for another process to resume.",
    errors: ["unsupported"],
    perform: (session) => session.detach(),
  }),
];

function deed<Body extends z.ZodType>(verb: string, told: Deed<Body>): Route {
  const { perform, isDoneAtEnd = false, errors = [], ...rest } = told;
  return route({
    ...rest,
    method: "post",
    path: `/v1/sessions/{id}/${verb}`,
    answers: { 200: json("The session as it is now.", SessionInfo) },
    errors: ["session_stopped", "session_owned", ...errors],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      if (isDoneAtEnd && !liveStates.includes(found.state)) return respond(SessionInfo, found);
      const session = await halyard.session(found.id);
      await perform(session, body);
      await settled();
      return respond(SessionInfo, session.info);
    },
  });
}

/** Until what follows from a deed at once has happened too. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
