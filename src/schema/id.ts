import { z } from "zod";
import { idSuffix } from "./constants.ts";

/** Sixteen random characters. The first few are usually enough to distinguish two ids. */
const Suffix = z.string().regex(idSuffix);

/** The id of a session. */
export const SessionId = z.templateLiteral(["ses_", Suffix]);
export type SessionId = z.infer<typeof SessionId>;

/** The id of a turn. */
export const TurnId = z.templateLiteral(["trn_", Suffix]);
export type TurnId = z.infer<typeof TurnId>;

/** The id of a request. */
export const RequestId = z.templateLiteral(["req_", Suffix]);
export type RequestId = z.infer<typeof RequestId>;

/** The id of a race. */
export const RaceId = z.templateLiteral(["rac_", Suffix]);
export type RaceId = z.infer<typeof RaceId>;

/** The id of an event among all sessions: the suffix of its session id, and its `seq`. */
export const EventId = z.templateLiteral(["evt_", z.string().regex(/^[0-9a-z]{16}_[1-9]\d*$/)]);
export type EventId = z.infer<typeof EventId>;
