import { HalyardError } from "../errors/error.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionParts } from "./session-parts.ts";
import { settingsIn } from "./settings-in.ts";

/**
 * Applies changes to a live session: first to its runtime, if the runtime is affected, then to its record. Rejects with
 * `unsupported` if the runtime cannot change its settings while it runs.
 */
export async function changeSession(
  { connection, log, redactor }: SessionParts,
  changes: SessionChanges,
  ready: Promise<void>,
): Promise<SessionInfo> {
  const settings = settingsIn(log.info, changes);
  if (Object.keys(settings).length > 0) {
    if (!connection.configure)
      throw new HalyardError(
        "unsupported",
        `${log.info.runtime} cannot change ${Object.keys(settings).join(", ")} of a running session. Run "halyard runtime list" to find a runtime with the capability "settings".`,
      );
    await ready;
    await connection.configure(settings);
  }
  const data = redactor.redact(changes);
  await log.append([{ type: "system", subtype: "session_changed", data }]);
  return log.info;
}

/** Returns the error for an operation that the runtime does not support. */
export function unsupported({ runtime }: Pick<SessionInfo, "runtime">, what: string): HalyardError {
  return new HalyardError(
    "unsupported",
    `${runtime} does not support "${what}". Run "halyard runtime list" to see what each runtime supports.`,
  );
}
