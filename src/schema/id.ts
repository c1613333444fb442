import { z } from "zod";
import { idSuffix } from "./id-suffix.ts";

/** Sixteen random characters, so that the first few already tell two ids apart. */
const Suffix = z.string().regex(idSuffix);

/** Names one session. */
export const SessionId = z.templateLiteral(["ses_", Suffix]);
export type SessionId = z.infer<typeof SessionId>;

/** Names one turn. */
export const TurnId = z.templateLiteral(["trn_", Suffix]);
export type TurnId = z.infer<typeof TurnId>;

/** Names one question that a runtime waits to have answered. */
export const RequestId = z.templateLiteral(["req_", Suffix]);
export type RequestId = z.infer<typeof RequestId>;

/** Names one event across all sessions: the session's own part and the event's place in its log. */
export const EventId = z.templateLiteral(["evt_", z.string().regex(/^[0-9a-z]{16}_[1-9]\d*$/)]);
export type EventId = z.infer<typeof EventId>;
