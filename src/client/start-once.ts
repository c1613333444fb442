import { HalyardError } from "../core/error.ts";
import type { OpenedSession } from "../schema/http.ts";
import type { SessionId } from "../schema/id.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type Connection, isUnreachable } from "./connection.ts";
import { readAnswer } from "./read-answer.ts";
import type { Retry } from "./retry.ts";
import { openedSessionShape, sessionShape } from "./shapes.ts";

export interface StartOnceOptions {
  readonly retry: Retry;
  readonly signal: AbortSignal;
}

/**
 * Starts a session once, however often the connection breaks before the answer is there: the session is known again by
 * its id. Rejects with the reason where it could not be started.
 */
export async function startOnce(
  connection: Connection,
  request: StartRequest & { readonly id: SessionId },
  options: StartOnceOptions,
): Promise<OpenedSession> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const answer = await connection.ask("POST", "/v1/sessions", { body: request });
      return readAnswer(openedSessionShape, answer);
    } catch (error) {
      const isLost = isUnreachable(error);
      if (isFirst && !isLost) throw error;
      const started = await lookForStarted(connection, request.id, error, options);
      if (started) return started;
      if (!isLost) throw error;
    }
  }
}

/** What has become of a start whose answer was lost: undefined where the server knows nothing of it. */
async function lookForStarted(
  connection: Connection,
  id: SessionId,
  cause: unknown,
  { retry, signal }: StartOnceOptions,
): Promise<OpenedSession | undefined> {
  while (await retry.wait(signal)) {
    try {
      return readAnswer(
        openedSessionShape,
        await connection.ask("GET", `/v1/sessions/${id}/running`),
      );
    } catch (error) {
      const code = error instanceof HalyardError ? error.code : undefined;
      if (code === "session_not_found") return undefined;
      if (code === "session_stopped") throw await whyStopped(connection, id);
      // It may be about to be there, or the server may be.
      if (code !== "session_owned" && code !== "unreachable") throw error;
    }
  }
  throw cause;
}

/** As the answer would have said it, had it come. */
async function whyStopped(connection: Connection, id: SessionId): Promise<HalyardError> {
  const ask = { isRepeatable: true };
  const info = readAnswer(sessionShape, await connection.ask("GET", `/v1/sessions/${id}`, ask));
  const { code = "session_stopped", message, phase } = info.error ?? {};
  const reason = message ?? info.reason ?? `${id} has ended`;
  return new HalyardError(code, reason, phase && { phase });
}
