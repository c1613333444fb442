import { z } from "zod";

/**
 * Returns a schema that treats fields with an empty string or null as not set. Go programs write these values for unset
 * fields. Does not remove values in `env` or elements of lists.
 */
export function acceptZeroValues<S extends z.ZodType>(schema: S) {
  return z.preprocess(withoutZeroValues, schema);
}

/** Removes fields with an empty string or null at every depth, except in `env` and in lists. */
export function withoutZeroValues(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const set = Object.entries(value).filter(([, field]) => field !== "" && field !== null);
  return Object.fromEntries(
    set.map(([name, field]) => [name, name === "env" ? field : withoutZeroValues(field)]),
  );
}
