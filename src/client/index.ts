import type { Halyard } from "../core/halyard.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import type { Target } from "./target.ts";

export { HalyardError } from "../core/error.ts";
export type {
  EventFilter,
  FollowOptions,
  Halyard,
  InterruptOptions,
  ResumeOptions,
  SendOptions,
  Session,
  Turn,
} from "../core/halyard.ts";
export type { PositionedEvent, SessionFilter } from "../core/store.ts";
export type { StreamEvent } from "../schema/event.ts";
export type { EventId, RequestId, SessionId, TurnId } from "../schema/id.ts";
export type { Outcome } from "../schema/outcome.ts";
export type { Answer } from "../schema/permission.ts";
export type { SessionInfo } from "../schema/session.ts";
export type { StartRequest } from "../schema/start-request.ts";
export type { ConnectOptions } from "./connect.ts";
export type { Target } from "./target.ts";

/**
 * Connects to a Halyard that runs elsewhere: `http://127.0.0.1:4747`, `unix:/path/to/the.sock`, or the path of a
 * socket. Rejects if no server answers there. Bundlers for browsers get a build without sockets.
 */
export function connectHalyard(target: Target, options: ConnectOptions = {}): Promise<Halyard> {
  return connect(target, options, () => import("./socket-fetch.ts"));
}
