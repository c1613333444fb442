import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { messageOf } from "../../halyard/message-of.ts";
import { turnIdOf } from "../../halyard/received-messages.ts";
import { CompactBody, SendBody, SentTurn } from "../../schema/http/http.ts";
import type { SessionId, TurnId } from "../../schema/id.ts";
import { traceParentOf } from "../headers.ts";
import { type Route, route } from "../route.ts";
import { sendOnce } from "../sent-turn.ts";
import { json, respond } from "./responses.ts";

const idempotency = {
  "Idempotency-Key":
    "A repeated request with the same key does not start a second turn, even after a restart.",
};

/** Routes that send messages to a running session. */
export const turnRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/{id}/turns",
    operationId: "sendMessage",
    summary: "Sends a message. The session's events report the turn.",
    headers: idempotency,
    body: SendBody,
    responses: {
      202: json(
        "The message was accepted. The receipt contains the state of its delivery.",
        SentTurn,
      ),
    },
    errors: ["session_stopped", "session_owned", "unsupported", "store_full", "store_locked"],
    async handle({ server: { halyard }, request, id: text, body }) {
      const { input, images, files, schema, ...options } = body;
      const { traceparent = traceParentOf(request) } = options;
      const session = await halyard.session((await findSession(halyard, text)).id);
      const given = chosenId(session.id, options.id, request.headers.get("idempotency-key"));
      const message = messageOf(input, { images, files, schema });
      const sent = await sendOnce(halyard, session, given, (id) =>
        session.send(message, { ...options, traceparent, id }),
      );
      return respond(SentTurn, sent, { status: 202 });
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/compact",
    operationId: "compactSession",
    summary: "Compacts the conversation in a separate turn. The session's events report the turn.",
    headers: idempotency,
    body: CompactBody,
    responses: { 202: json("The compaction was accepted.", SentTurn) },
    errors: ["session_stopped", "session_owned", "unsupported", "store_full", "store_locked"],
    async handle({ server: { halyard }, request, id: text, body }) {
      const session = await halyard.session((await findSession(halyard, text)).id);
      const given = chosenId(session.id, body.id, request.headers.get("idempotency-key"));
      const start = (id: TurnId) => session.compact({ ...body, id });
      return respond(SentTurn, await sendOnce(halyard, session, given, start), { status: 202 });
    },
  }),
];

function chosenId(
  sessionId: SessionId,
  id: TurnId | undefined,
  key: string | null,
): TurnId | undefined {
  if (key === null) return id;
  if (key === "" || key.length > 255) {
    throw new HalyardError(
      "invalid_input",
      "The header Idempotency-Key must have 1 to 255 characters. Send a key of that length, or omit the header.",
    );
  }
  if (id !== undefined) {
    throw new HalyardError(
      "invalid_input",
      'Send either the field "id" or the header Idempotency-Key, not both.',
    );
  }
  return turnIdOf(sessionId, key);
}
