import type { z } from "zod";
import { HalyardError } from "./error.ts";

/** What a caller gave us, checked; the error names the place. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
    .join("; ");
  throw new HalyardError("invalid_input", message, { cause: parsed.error });
}

/** A place in a log, or how many of something. */
export function requireWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new HalyardError("invalid_input", `${name}: ${value} is not a whole number from 0 on`);
}
