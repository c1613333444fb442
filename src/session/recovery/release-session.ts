import { HalyardError } from "../../errors/error.ts";
import { isTransient } from "../../log/appends.ts";
import type { LiveSession } from "../session.ts";

/**
 * Stops a session or detaches from it, because this process exits. Also stops the session if its runtime does not support
 * a detach. If the store does not accept the last events, the next process recovers the session as after a crash.
 */
export async function releaseSession(session: LiveSession, how: "stop" | "detach"): Promise<void> {
  if (how === "stop") return end(session, "disposed");
  try {
    await session.detach();
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) return;
    await end(
      session,
      `the owning process exited, and ${session.info.runtime} cannot run without it`,
    );
  }
}

async function end(session: LiveSession, reason: string): Promise<void> {
  try {
    await session.stop(reason);
  } catch (error) {
    // the host does not respond, so the session was recorded as detached instead
    if (error instanceof HalyardError && error.code === "host_unavailable") return;
    if (!isTransient(error)) throw error;
    await session.giveUp();
  }
}
