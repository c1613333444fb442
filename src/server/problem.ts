import { toErrorInfo } from "../errors/error.ts";
import { errorTable } from "../schema/error-table.ts";
import type { Problem } from "../schema/http/http.ts";
import { plainHeaders } from "./headers.ts";

/**
 * Converts an error to a problem document, whose type is a URL below the server's base path. Unexpected errors become
 * "internal"; the document does not contain their message.
 */
export function toProblem(error: unknown, basePath: string): Problem {
  const { code, message, retryable, phase } = toErrorInfo(error);
  const { meaning, httpStatus } = errorTable[code];
  return {
    type: `${basePath}/docs#error-${code}`,
    title: meaning,
    status: httpStatus,
    detail: code === "internal" ? "Unexpected error. See the server's log for details." : message,
    code,
    retryable,
    ...(phase && { phase }),
  };
}

/** True if the error is a fault of Halyard. Its message belongs in the server's log, because responses omit it. */
export function isFault(error: unknown): boolean {
  return toErrorInfo(error).code === "internal";
}

/** Returns the response for a failed request. */
export function problemResponse(error: unknown, basePath: string): Response {
  const problem = toProblem(error, basePath);
  const headers = {
    ...plainHeaders,
    "content-type": "application/problem+json",
    ...(problem.status === 401 && { "www-authenticate": "Bearer" }),
  };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
