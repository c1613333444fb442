import type { z } from "zod";
import { plainHeaders } from "../headers.ts";
import type { Answer } from "../route.ts";

/** An answer in JSON, as its schema says. */
export function json(description: string, schema: z.ZodType): Answer {
  return { description, content: { "application/json": schema } };
}

/** The same as a response. What is written is ours, so it is not checked again. */
export function respond<T>(
  _: z.ZodType<T>,
  value: T,
  { status = 200, headers }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(value, { status, headers: { ...plainHeaders, ...headers } });
}

/** Nothing to say but that it is done. */
export const nothing: Answer = { description: "Done.", content: {} };
