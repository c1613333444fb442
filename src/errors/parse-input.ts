import type { z } from "zod";
import { HalyardError } from "./error.ts";

/**
 * Validates a caller's input and returns the parsed value. Undefined properties count as absent, as in JSON. Throws
 * `invalid_input` with the name of each invalid property.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(withoutUndefined(input));
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues
    .map((issue) =>
      [...(issue.path.length > 0 ? [issue.path.join(".")] : []), textOf(issue)].join(": "),
    )
    .join("; ");
  throw new HalyardError("invalid_input", message, { cause: parsed.error });
}

function textOf({ message, ...issue }: z.core.$ZodIssue): string {
  const isEmptyText =
    issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1;
  return isEmptyText ? "expected text that is not empty" : message;
}

/** Removes undefined properties from plain objects. Does not change other objects, such as those of an SDK. */
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

/** Throws `invalid_input` unless the value is a non-negative integer. */
export function requireWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new HalyardError(
    "invalid_input",
    `${name}: ${value} is not a non-negative integer. Pass 0 or a larger integer.`,
  );
}
