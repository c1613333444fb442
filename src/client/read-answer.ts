import type { z } from "zod";
import { HalyardError } from "../core/error.ts";

/** What the server answered, as its schema says. Where it is not so, the error names the record and the place in it. */
export function readAnswer<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    [idAt(answer, path), path.join("."), message].filter((part) => part).join(": "),
  );
  const told = `the server's answer cannot be read: ${problems.join("; ")}`;
  throw new HalyardError("internal", told, { cause: parsed.error });
}

/** The id of the record that a place is in: the outermost that has one. */
function idAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("id" in value && typeof value.id === "string") return value.id;
  return key === undefined ? undefined : idAt(Reflect.get(value, key), rest);
}
