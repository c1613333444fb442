import type { z } from "zod";
import { HalyardError } from "./error.ts";

/** Checks what a caller passed. A property that is undefined counts as absent, as in JSON. The error names the place. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(withoutUndefined(input));
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
    .join("; ");
  throw new HalyardError("invalid_input", message, { cause: parsed.error });
}

/** Removes undefined properties of plain objects. Other objects, which callers may hand to a runtime, stay as they are. */
function withoutUndefined(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutUndefined(one)]));
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A place in a log, or how many of something. */
export function requireWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new HalyardError("invalid_input", `${name}: ${value} is not a whole number from 0 on`);
}
