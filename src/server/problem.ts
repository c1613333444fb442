import { toErrorInfo } from "../core/error.ts";
import { errorTable } from "../schema/error-table.ts";
import type { Problem } from "../schema/http.ts";
import { plainHeaders } from "./headers.ts";

/** Whatever was thrown, as a problem. What is not ours is a fault of ours, whose words are for our log alone. */
export function toProblem(error: unknown): Problem {
  const { code, message, retryable, phase } = toErrorInfo(error);
  const { meaning, httpStatus } = errorTable[code];
  return {
    type: `/docs#error-${code}`,
    title: meaning,
    status: httpStatus,
    detail: code === "internal" ? "the server's log has more" : message,
    code,
    retryable,
    ...(phase && { phase }),
  };
}

/** The answer to a request that went wrong. */
export function problemResponse(error: unknown): Response {
  const problem = toProblem(error);
  const headers = {
    ...plainHeaders,
    "content-type": "application/problem+json",
    ...(problem.status === 401 && { "www-authenticate": "Bearer" }),
  };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
