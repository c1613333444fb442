import { createHash } from "node:crypto";

/** The value of an attribute. */
export type AttributeValue = string | number | boolean | string[];

/** A finished span. Its ids are derived from the log, so that every export of the same log yields the same spans. */
export interface Span {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** When the work began and ended, in ISO format. */
  readonly startAt: string;
  readonly endAt: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The trace context of the caller that requested the work. */
  readonly link?: string;
  /** Set if the work failed. */
  readonly error?: { readonly type: string; readonly message?: string };
}

/** Returns the trace id of a session: 32 hexadecimal digits. */
export function traceIdOf(sessionId: string): string {
  return digest(["trace", sessionId]).slice(0, 32);
}

/** Returns the span id of a session, or of a part of it: 16 hexadecimal digits. */
export function spanIdOf(sessionId: string, ...part: readonly string[]): string {
  return digest(["span", sessionId, ...part]).slice(0, 16);
}

/** Returns the span id of a turn. */
export function turnSpanId(sessionId: string, turnId: string): string {
  return spanIdOf(sessionId, "turn", turnId);
}

/**
 * Returns the W3C trace context that lets a program join the trace of a session, as a child of a turn or of the
 * session.
 */
export function traceparentOf(sessionId: string, turnId?: string): string {
  const parent = turnId === undefined ? spanIdOf(sessionId) : turnSpanId(sessionId, turnId);
  return `00-${traceIdOf(sessionId)}-${parent}-01`;
}

/** Returns a hash of the parts. The parts are joined as JSON, so that different lists have different hashes. */
function digest(parts: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify(["halyard", ...parts]))
    .digest("hex");
}
