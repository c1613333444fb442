import { customAlphabet } from "nanoid";
import type { EventId, RequestId, SessionId, TurnId } from "../schema/id.ts";

const suffix = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 16);

export const newSessionId = (): SessionId => `ses_${suffix()}`;
export const newTurnId = (): TurnId => `trn_${suffix()}`;
export const newRequestId = (): RequestId => `req_${suffix()}`;

/** The name of an event across all sessions. */
export const eventId = (event: { sessionId: SessionId; seq: number }): EventId =>
  `evt_${event.sessionId.slice("ses_".length)}_${event.seq}`;
