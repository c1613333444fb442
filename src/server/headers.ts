import { traceParentIn } from "../schema/trace-parent.ts";
/** Headers of every response: not cached, and interpreted only as its content type. */
export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Returns the host and port that the client connected to. */
export function hostOf(request: Request): string {
  return request.headers.get("host") ?? new URL(request.url).host; // a Request that a program created has no Host header
}

/** True if the Origin header names this server. */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin") ?? "";
  return URL.canParse(origin) && new URL(origin).host === hostOf(request).toLowerCase();
}

/** Returns the trace context in the header `traceparent`, or undefined. */
export function traceParentOf({ headers }: Request): string | undefined {
  return traceParentIn({ traceparent: headers.get("traceparent") });
}
