import { HalyardError } from "../../errors/error.ts";
import { isSessionId, newSessionId } from "../../errors/require-id.ts";
import type { OpenedSession } from "../../schema/http/http.ts";
import type { SessionId } from "../../schema/id.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import { type HttpConnection, isUnreachable } from "../connection.ts";
import { readResponse } from "../read-response.ts";
import { openedSessionShape, sessionShape } from "../response-shapes.ts";
import type { Retry } from "../retry.ts";

export interface StartOnceOptions {
  readonly retry: Retry;
  readonly signal: AbortSignal;
}

/** Returns the request with an id and with the paths of `withAbsolutePaths`. Throws `invalid_input` for a malformed id. */
export function toStartBody(
  request: StartRequest,
  toAbsolute: (path: string) => string,
): StartRequest & { readonly id: SessionId } {
  const { id = newSessionId() } = request;
  if (!isSessionId(id))
    throw new HalyardError(
      "invalid_input",
      `id: "${id}" is not a session id. Use "ses_" followed by 16 digits or lowercase letters.`,
    );
  return { ...withAbsolutePaths(request, toAbsolute), id };
}

/** Passes the paths of a request to `toAbsolute`, because the server may have another working directory. */
export function withAbsolutePaths<Request extends StartPaths>(
  request: Request,
  toAbsolute: (path: string) => string,
): Request {
  const { cwd, record, accountDir } = request;
  return {
    ...request,
    // With a clone or an upload, `cwd` is relative to the root of its files.
    cwd: request.repository || request.upload ? cwd : toAbsolute(cwd),
    ...(record !== undefined && { record: toAbsolute(record) }),
    ...(accountDir !== undefined && { accountDir: toAbsolute(accountDir) }),
  };
}

type StartPaths = Pick<StartRequest, "cwd" | "record" | "accountDir" | "repository" | "upload">;

/**
 * Starts a session at most once, even if the connection is lost before the response is complete: a retry recognizes the
 * session by its id. Rejects with the reason if the session could not be started.
 */
export async function startOnce(
  connection: HttpConnection,
  request: StartRequest & { readonly id: SessionId },
  options: StartOnceOptions,
): Promise<OpenedSession> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const answer = await connection.request("POST", "/v1/sessions", { body: request });
      return readResponse(openedSessionShape, answer);
    } catch (error) {
      const isLost = isUnreachable(error);
      if (isFirst && !isLost) throw error;
      const started = await lookForStarted(connection, request.id, error, options);
      if (started) return started;
      if (!isLost) throw error;
    }
  }
}

/** Returns the session whose start response was lost, or undefined if the server has none. Rejects with `cause` if retries fail. */
async function lookForStarted(
  connection: HttpConnection,
  id: SessionId,
  cause: unknown,
  { retry, signal }: StartOnceOptions,
): Promise<OpenedSession | undefined> {
  while (await retry.wait(signal)) {
    try {
      return readResponse(
        openedSessionShape,
        await connection.request("GET", `/v1/sessions/${id}/running`),
      );
    } catch (error) {
      const code = error instanceof HalyardError ? error.code : undefined;
      if (code === "session_not_found") return undefined;
      if (code === "session_stopped") throw await whyStopped(connection, id);
      // Try again, because the session may still be starting or the server restarting.
      if (code !== "session_owned" && code !== "unreachable") throw error;
    }
  }
  throw cause;
}

/** Returns the error that ended the session, which the lost response contained. */
async function whyStopped(connection: HttpConnection, id: SessionId): Promise<HalyardError> {
  const options = { isRepeatable: true };
  const info = readResponse(
    sessionShape,
    await connection.request("GET", `/v1/sessions/${id}`, options),
  );
  const { code = "session_stopped", message, phase } = info.error ?? {};
  const reason = message ?? info.reason ?? `Session ${id} has ended.`;
  return new HalyardError(code, reason, phase && { phase });
}
