import { within } from "../../async/watchdog.ts";
import type { Connection } from "../../contracts/adapter.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { answerOf } from "../../permissions/requests.ts";
import type { ResponseEvent } from "../../schema/event.ts";
import type { SessionParts } from "../session-parts.ts";
import type { OpenTurn } from "./open-turn.ts";

/** Waits for the first checkpoint. Returns the error if the turn may not start, otherwise undefined. */
export async function refusalOf({
  admitTurn,
  checkpoints,
}: SessionParts): Promise<{ error: unknown } | undefined> {
  await checkpoints?.opened();
  try {
    await admitTurn?.();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/**
 * Waits at most 2 s for the runtime to receive a message. The runtime may still receive the message after this process
 * has detached.
 */
export async function untilSent({ sent }: OpenTurn): Promise<void> {
  const delivered = within("stop", HANDING_OVER_MS, "handing over a message", sent.promise);
  await delivered.catch(() => {}); // the next owner handles the error
}

const HANDING_OVER_MS = 2_000;

/** Requests that the runtime end its turn. Returns a warning for the log if the request fails, otherwise no events. */
export async function cancelTurn(connection: Connection): Promise<readonly StoredEvent[]> {
  try {
    await connection.cancel();
    return [];
  } catch (error) {
    return [warning(`Cancelling failed: ${toErrorInfo(error).message}`)];
  }
}

/**
 * Answers a runtime's request. Returns a warning for the log if the runtime no longer waits for the answer, otherwise no
 * events. Rejects with any other error of the connection.
 */
export async function answerRequest(
  connection: Connection,
  nativeId: string,
  response: ResponseEvent,
): Promise<readonly StoredEvent[]> {
  try {
    await connection.answer(nativeId, answerOf(response));
    return [];
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "request_not_found")) throw error;
    return [warning(`${response.requestId}: the runtime was no longer waiting for the answer`)];
  }
}

function warning(text: string): StoredEvent {
  return { type: "system", subtype: "warning", text };
}
