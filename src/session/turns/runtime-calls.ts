import type { Connection } from "../../contracts/adapter.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { answerOf } from "../../permissions/requests.ts";
import type { ResponseEvent } from "../../schema/event.ts";
import type { SessionParts } from "../session-parts.ts";

/** Returns undefined if a turn may start now, otherwise the error. */
export async function refusalOf({
  admitTurn,
}: SessionParts): Promise<{ error: unknown } | undefined> {
  try {
    await admitTurn?.();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Requests the runtime to end its turn. Returns the warning for the log if that fails. */
export async function cancelTurn(connection: Connection): Promise<readonly StoredEvent[]> {
  try {
    await connection.cancel();
    return [];
  } catch (error) {
    return [warning(`Cancelling failed: ${toErrorInfo(error).message}`)];
  }
}

/** Answers a request of the runtime. Returns the warning for the log if the runtime no longer waits. */
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
    return [warning(`${response.requestId}: the runtime no longer waited for the answer`)];
  }
}

function warning(text: string): StoredEvent {
  return { type: "system", subtype: "warning", text };
}
