import type { z } from "zod";
import type { Session } from "../../contracts/halyard.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { ErrorCode } from "../../schema/error.ts";
import { AnswerBody, InterruptBody, StopBody } from "../../schema/http/http.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { SessionInfo } from "../../schema/session.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

interface SessionAction<Body extends z.ZodType> {
  readonly operationId: string;
  readonly summary: string;
  readonly body?: Body;
  readonly errors?: readonly ErrorCode[];
  /** True if the action succeeds without an effect on an ended session. */
  readonly isNoopAtEnd?: boolean;
  perform(session: Session, body: z.output<Body>): Promise<void>;
}

/** Actions on a running session. Each responds with the session after the action. */
export const runningRoutes: readonly Route[] = [
  sessionAction("interrupt", {
    operationId: "interruptTurn",
    summary: "Cancels the running turn or the given turn. Responds when the turn has ended.",
    body: InterruptBody,
    isNoopAtEnd: true,
    perform: (session, options) => session.interrupt(options),
  }),
  sessionAction("answers", {
    operationId: "answerRequest",
    summary: "Answers a request that the runtime is waiting for.",
    body: AnswerBody,
    errors: ["request_not_found"],
    perform: (session, { requestId, ...answer }) => session.answer(requestId, answer),
  }),
  sessionAction("ping", {
    operationId: "pingSession",
    summary: "Checks that the runtime responds.",
    errors: ["timed_out", "agent_exited"],
    perform: (session) => session.ping(),
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/stop",
    operationId: "stopSession",
    summary:
      "Stops a session, its runtime and all processes that the runtime started, even if no process owns the session.",
    body: StopBody,
    responses: { 200: json("The session after the action.", SessionInfo) },
    errors: ["session_owned", "host_unavailable"],
    async handle({ server: { halyard }, id: text, body: { reason } }) {
      const { id } = await findSession(halyard, text);
      await halyard.stop(id, reason);
      return respond(SessionInfo, await findSession(halyard, id));
    },
  }),
  sessionAction("detach", {
    operationId: "detachSession",
    summary:
      "Releases a session and leaves its runtime running, so that another process can resume it.",
    errors: ["unsupported"],
    perform: (session) => session.detach(),
  }),
];

function sessionAction<Body extends z.ZodType>(verb: string, action: SessionAction<Body>): Route {
  const { perform, isNoopAtEnd = false, errors = [], ...rest } = action;
  return route({
    ...rest,
    method: "post",
    path: `/v1/sessions/{id}/${verb}`,
    responses: { 200: json("The session after the action.", SessionInfo) },
    errors: ["session_stopped", "session_owned", ...errors],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      if (isNoopAtEnd && !liveStates.includes(found.state)) return respond(SessionInfo, found);
      const session = await halyard.session(found.id);
      await perform(session, body);
      await settled();
      return respond(SessionInfo, session.info);
    },
  });
}

/** Waits for the next iteration of the event loop, so that the immediate effects of an action are recorded. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
