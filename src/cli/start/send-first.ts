import type { Halyard, Session } from "../../contracts/halyard.ts";
import { fromErrorInfo, HalyardError } from "../../errors/error.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { MessageInput } from "../../schema/attachment.ts";

/**
 * Sends the first message. If the session rejects the message, stops the session and throws the session's error, or the
 * rejection if the session has no error.
 */
export async function sendFirst(
  halyard: Halyard,
  session: Session,
  message: string | MessageInput,
): Promise<void> {
  try {
    await requireTaken(session.send(message));
  } catch (error) {
    // The message may have been delivered, so the session is not stopped.
    if (error instanceof HalyardError && error.code === "unreachable") throw error;
    await halyard.stop(session.id, "its first message was rejected");
    const { error: sessionError } = (await halyard.find(session.id)) ?? {};
    throw sessionError ? fromErrorInfo(sessionError) : error;
  }
}
