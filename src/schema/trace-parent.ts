import { z } from "zod";

/** A W3C trace context, as in the header `traceparent`: the trace and the span of the caller. */
export const TraceParent = z
  .string()
  .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
  .refine((text) => !/-0{32}-|-0{16}-/.test(text), "a trace or a span of zeros is invalid")
  .meta({ description: "A W3C trace context: the trace and the span of the caller" });

/**
 * Returns the trace context in an object, such as the `_meta` of a request, or undefined. A malformed context is
 * ignored, as W3C requires.
 */
export function traceParentIn(meta: object | null | undefined): string | undefined {
  return TraceParentMeta.safeParse(meta ?? {}).data?.traceparent;
}

const TraceParentMeta = z.looseObject({ traceparent: TraceParent });
