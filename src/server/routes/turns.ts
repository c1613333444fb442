import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { messageOf } from "../../halyard/message-of.ts";
import { SendBody, SentTurn } from "../../schema/http.ts";
import type { SessionId, TurnId } from "../../schema/id.ts";
import { type Route, route } from "../route.ts";
import { sendOnce, turnIdOf } from "../sent-turn.ts";
import { json, respond } from "./responses.ts";

/** Routes that send messages to a running session. */
export const turnRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/{id}/turns",
    operationId: "sendMessage",
    summary: "Sends a message. The session's events report the turn.",
    headers: {
      "Idempotency-Key":
        "A repeated request with the same key starts no second turn, also after a restart.",
    },
    body: SendBody,
    responses: {
      202: json(
        "The message was accepted. The receipt contains the state of its delivery.",
        SentTurn,
      ),
    },
    errors: ["session_stopped", "session_owned", "unsupported", "store_full", "store_locked"],
    async handle({ server: { halyard }, request, id: text, body }) {
      const { input, images, files, ...options } = body;
      const found = await findSession(halyard, text);
      const session = await halyard.session(found.id);
      const id = chosenId(found.id, options.id, request.headers.get("idempotency-key"));
      const sent = await sendOnce(halyard, session, messageOf(input, { images, files }), {
        ...options,
        ...(id && { id }),
      });
      return respond(SentTurn, sent, { status: 202 });
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
      "The header Idempotency-Key must have 1 to 255 characters.",
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
