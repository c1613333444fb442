import type { z } from "zod";
import { plainHeaders } from "../headers.ts";
import type { ResponseDescription } from "../route.ts";

/** Describes a JSON response. */
export function json(description: string, schema: z.ZodType): ResponseDescription {
  return { description, content: { "application/json": schema } };
}

/** Creates a JSON response. The value is not validated again; the schema only checks its type at compile time. */
export function respond<T>(
  _: z.ZodType<T>,
  value: T,
  { status = 200, headers }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(value, { status, headers: { ...plainHeaders, ...headers } });
}

/** A response without content. */
export const noContent: ResponseDescription = { description: "Done.", content: {} };
