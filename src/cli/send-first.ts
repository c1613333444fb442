import { fromErrorInfo, HalyardError } from "../core/error.ts";
import type { Halyard, Session } from "../core/halyard.ts";
import { requireTaken } from "../core/turn-results.ts";

/** A session that its task does not reach is ended again; where it died first, what is told is why. */
export async function sendFirst(halyard: Halyard, session: Session, text: string): Promise<void> {
  try {
    await requireTaken(session.send(text));
  } catch (error) {
    if (error instanceof HalyardError && error.code === "unreachable") throw error; // it may have been taken
    await halyard.stop(session.id, "its first message was not taken");
    const { error: own } = (await halyard.find(session.id)) ?? {};
    throw own ? fromErrorInfo(own) : error;
  }
}
