import { traceParentIn } from "../schema/trace-parent.ts";
/** Headers with which a browser neither caches a response nor guesses its content type. */
export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Returns the host and port in the Host header, or in the URL if there is no header. */
export function hostOf(request: Request): string {
  return request.headers.get("host") ?? new URL(request.url).host; // a Request that code creates has no Host header
}

/** True if the Origin header has the host and port to which the request was sent. */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin") ?? "";
  return URL.canParse(origin) && new URL(origin).host === hostOf(request).toLowerCase();
}

/** Returns the trace context in the header `traceparent`, or undefined if there is none. */
export function traceParentOf({ headers }: Request): string | undefined {
  return traceParentIn({ traceparent: headers.get("traceparent") });
}
