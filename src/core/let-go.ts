import { isPassing } from "./appends.ts";
import { HalyardError } from "./error.ts";
import type { LiveSession } from "./session.ts";

/** Lets go of a session because this process ends. What the store does not take any more is found as after a crash. */
export async function letGo(session: LiveSession, how: "stop" | "detach"): Promise<void> {
  if (how === "stop") return end(session, "disposed");
  try {
    await session.detach();
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) return;
    await end(session, `whoever ran it ended, and ${session.info.runtime} ends with it`);
  }
}

async function end(session: LiveSession, reason: string): Promise<void> {
  try {
    await session.stop(reason);
  } catch (error) {
    if (error instanceof HalyardError && error.code === "host_unavailable") return; // on record as detached
    if (!isPassing(error)) throw error;
    await session.giveUp();
  }
}
