import { customAlphabet } from "nanoid";
import type { EventId, RequestId, SessionId, TurnId } from "../schema/id.ts";
import { idSuffix } from "../schema/id-suffix.ts";
import { HalyardError } from "./error.ts";

const suffix = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 16);

export const newSessionId = (): SessionId => `ses_${suffix()}`;
export const newTurnId = (): TurnId => `trn_${suffix()}`;
export const newRequestId = (): RequestId => `req_${suffix()}`;

/** The name of an event across all sessions. */
export const eventId = (event: { sessionId: SessionId; seq: number }): EventId =>
  `evt_${event.sessionId.slice("ses_".length)}_${event.seq}`;

/** True for a well-formed session id. */
export const isSessionId = (text: string): text is SessionId => isId("ses_", text);

/** True for a well-formed turn id. */
export const isTurnId = (text: string): text is TurnId => isId("trn_", text);

/** The session id that a caller passed. Throws `session_not_found` if it is malformed: no session can have it. */
export function requireSessionId(text: string): SessionId {
  if (isSessionId(text)) return text;
  throw new HalyardError(
    "session_not_found",
    `Session "${text}" not found: a session id is "ses_" and 16 letters or digits. Run "halyard sessions" to list sessions.`,
  );
}

/** Checks an optional turn id that a caller passed. Throws `invalid_input` if it is malformed. */
export function requireTurnId(text: string | undefined): TurnId | undefined {
  if (text === undefined || isTurnId(text)) return text;
  throw noTurnId(text);
}

/** The error of a malformed turn id. */
export function noTurnId(text: string): HalyardError {
  const message = `id: "${text}" is not the id of a turn, which is "trn_" and 16 letters or digits`;
  return new HalyardError("invalid_input", message);
}

/** The request id that a caller passed. Throws `invalid_input` if it is malformed. */
export function requireRequestId(text: string): RequestId {
  if (isId("req_", text)) return text;
  throw new HalyardError(
    "invalid_input",
    `requestId: "${text}" is not the id of a request, which is "req_" and 16 letters or digits`,
  );
}

/** Callers without TypeScript may pass a value that is not a string. */
function isId<Prefix extends string>(prefix: Prefix, text: unknown): text is `${Prefix}${string}` {
  return (
    typeof text === "string" && text.startsWith(prefix) && idSuffix.test(text.slice(prefix.length))
  );
}
