import { HalyardError } from "../errors/error.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Adds the command that lists the ids to the error for an unknown `continuedFrom`. Returns other errors unchanged. */
export function withListAdvice(
  { continuedFrom, runtime }: Pick<SessionInfo, "continuedFrom" | "runtime">,
  error: unknown,
): unknown {
  if (continuedFrom === undefined || !(error instanceof HalyardError)) return error;
  if (error.code !== "runtime_session_not_found") return error;
  const advice = `Run "halyard runtime sessions ${runtime} --all" to list the sessions that can be continued.`;
  const message = `${error.message.replace(/ Start a new session\.$/, "")} ${advice}`;
  return new HalyardError(error.code, message, { cause: error });
}
