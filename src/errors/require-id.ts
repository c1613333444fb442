import { customAlphabet } from "nanoid";
import { idSuffix } from "../schema/constants.ts";
import type { EventId, RaceId, RequestId, SessionId, TurnId } from "../schema/id.ts";
import { HalyardError } from "./error.ts";

const suffix = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 16);

/** Returns a new random session id. */
export const newSessionId = (): SessionId => `ses_${suffix()}`;

/** Returns a new random turn id. */
export const newTurnId = (): TurnId => `trn_${suffix()}`;

/** Returns a new random request id. */
export const newRequestId = (): RequestId => `req_${suffix()}`;

/** Returns a new random race id. */
export const newRaceId = (): RaceId => `rac_${suffix()}`;

/** Returns an event's id, which is unique among all sessions. */
export const eventId = (event: { sessionId: SessionId; seq: number }): EventId =>
  `evt_${event.sessionId.slice("ses_".length)}_${event.seq}`;

/** True for a well-formed session id. */
export const isSessionId = (text: string): text is SessionId => isId("ses_", text);

/** True for a well-formed turn id. */
export const isTurnId = (text: string): text is TurnId => isId("trn_", text);

/** Returns the session id that a caller passed. Throws `session_not_found` if it is malformed. */
export function requireSessionId(text: string): SessionId {
  if (isSessionId(text)) return text;
  throw new HalyardError(
    "session_not_found",
    `Session "${text}" not found: a session id is "ses_" followed by 16 digits or lowercase letters. Run "halyard sessions" to list sessions.`,
  );
}

/** Returns the caller's option `turnId`, which may be undefined. Throws `invalid_input` if it is malformed. */
export function requireTurnId(text: string | undefined): TurnId | undefined {
  if (text === undefined || isTurnId(text)) return text;
  throw malformedTurnId(text, "turnId");
}

/** Returns the error for a malformed turn id in the option `name`. */
export function malformedTurnId(text: string, name: "id" | "turnId" = "id"): HalyardError {
  const message = `${name}: "${text}" is not a turn id. Use "trn_" followed by 16 digits or lowercase letters.`;
  return new HalyardError("invalid_input", message);
}

/** Returns the request id that a caller passed. Throws `invalid_input` if it is malformed. */
export function requireRequestId(text: string): RequestId {
  if (isId("req_", text)) return text;
  throw new HalyardError(
    "invalid_input",
    `requestId: "${text}" is not a request id. Use "req_" followed by 16 digits or lowercase letters.`,
  );
}

/** True for a well-formed race id. */
export const isRaceId = (text: string): text is RaceId => isId("rac_", text);

/** Returns the error for a race that does not exist, or whose id is malformed. */
export function raceNotFound(id: string): HalyardError {
  return new HalyardError(
    "race_not_found",
    `Race "${id}" not found. Run "halyard sessions --format json" to list sessions: the label "race" contains the id of a race.`,
  );
}

/** True for a well-formed id. Also checks the type, because callers may not use TypeScript. */
function isId<Prefix extends string>(prefix: Prefix, text: unknown): text is `${Prefix}${string}` {
  return (
    typeof text === "string" && text.startsWith(prefix) && idSuffix.test(text.slice(prefix.length))
  );
}
