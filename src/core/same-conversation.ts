import type { SessionInfo } from "../schema/session.ts";
import { HalyardError } from "./error.ts";

/** A runtime that goes on with another conversation than the one asked for has not resumed anything. */
export function requireSame(
  { runtime, runtimeSessionId: asked }: SessionInfo,
  id: string | undefined,
): void {
  if (asked === undefined || id === asked) return;
  const message = `${runtime} was asked to continue ${asked} and began ${id} instead`;
  throw new HalyardError("runtime_session_not_found", message);
}
