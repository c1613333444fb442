import type { Halyard } from "../contracts/halyard.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import type { Target } from "./target.ts";

export type { Halyard, Session } from "../contracts/halyard.ts";
export type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
export type { ResumeOptions } from "../contracts/resume-options.ts";
export type { PositionedEvent, SessionFilter } from "../contracts/store.ts";
export type { InterruptOptions, SendOptions, Turn } from "../contracts/turn.ts";
export { HalyardError } from "../errors/error.ts";
export type { StreamEvent } from "../schema/event.ts";
export type { EventId, RequestId, SessionId, TurnId } from "../schema/id.ts";
export type { Outcome } from "../schema/outcome.ts";
export type { Answer } from "../schema/permission.ts";
export type { StartRequest } from "../schema/session/start-request.ts";
export type { SessionInfo } from "../schema/session.ts";
export type { UsageFilter, UsageReport } from "../schema/usage/usage-report.ts";
export type { AccountLimits, LimitWindow } from "../schema/usage-limit.ts";
export type { ConnectOptions } from "./connect.ts";
export type { Target } from "./target.ts";

/**
 * Connects to a Halyard server: `http://127.0.0.1:4747`, `unix:/path/to/the.sock`, or the path of a socket. Rejects if
 * no server responds at this address, or if the server does not accept the token. Bundlers for browsers use a build
 * without sockets.
 */
export function connectHalyard(target: Target, options: ConnectOptions = {}): Promise<Halyard> {
  return connect(target, options, () => import("./socket-fetch.ts"));
}
