import { unlessAborted } from "../async/unless-aborted.ts";
import { within } from "../async/watchdog.ts";
import type { Handshake } from "../contracts/adapter.ts";
import type { Session } from "../contracts/halyard.ts";
import type { StoredEvent } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import { withListAdvice } from "./list-advice.ts";
import type { SessionParts } from "./session-parts.ts";

/**
 * Waits until the runtime is ready and records the handshake. Rejects if the session ends first, if the runtime is not
 * ready in time, or if the runtime continued a conversation other than the requested one.
 */
export async function performHandshake(
  { connection, limits, log, opened }: SessionParts,
  gone: AbortSignal,
): Promise<void> {
  const what = `waiting for ${log.info.runtime} to become ready`;
  const ready = unlessAborted(connection.ready(), gone);
  const handshake = await within("ready", limits.readyMs, what, ready, {
    setting: "limits.readyMs",
  }).catch((error) => {
    throw withListAdvice(log.info, error);
  });
  if (opened !== "started") requireSameConversation(log.info, handshake.runtimeSessionId);
  await log.append(firstEvents(handshake, opened, log.info), { waits: true });
}

/** Throws if the runtime continued a conversation other than the requested one. */
function requireSameConversation(
  { runtime, runtimeSessionId: expected }: SessionInfo,
  id: string | undefined,
): void {
  if (expected === undefined || id === expected) return;
  const message = `${runtime} started conversation ${id} instead of continuing ${expected}. Start a new session.`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** Returns the events to log when a runtime has become ready. */
function firstEvents(
  { resumable, ...known }: Handshake,
  opened: Session["opened"],
  { continuedFrom }: Pick<SessionInfo, "continuedFrom">,
): StoredEvent[] {
  // After an attach, a runtime may not know that its record already exists. The recorded value takes precedence.
  const isKnown = resumable !== undefined && (resumable || opened !== "attached");
  const isContinued = opened === "started" && continuedFrom !== undefined;
  const data = {
    ...known,
    ...(isKnown && { resumable }),
    ...(isContinued && { continuedFrom }),
    opened,
  };
  return [
    { type: "system", subtype: "session_started", data },
    { type: "system", subtype: "session_ready" },
  ];
}
