import type { Halyard, Session } from "../../contracts/halyard.ts";
import { fromErrorInfo, HalyardError } from "../../errors/error.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { MessageInput } from "../../schema/attachment.ts";

/** Sends the first message. Stops the session if that fails, and throws the error of the session if it has one. */
export async function sendFirst(
  halyard: Halyard,
  session: Session,
  message: string | MessageInput,
): Promise<void> {
  try {
    await requireTaken(session.send(message));
  } catch (error) {
    if (error instanceof HalyardError && error.code === "unreachable") throw error; // the message may have arrived
    await halyard.stop(session.id, "its first message was rejected");
    const { error: sessionError } = (await halyard.find(session.id)) ?? {};
    throw sessionError ? fromErrorInfo(sessionError) : error;
  }
}
