import type { z } from "zod";
import type { KeyPath } from "./json-position.ts";

/** The result of `parseLeniently`: the value and the unknown keys, or the issues. */
export type Lenient<T> =
  | { readonly success: true; readonly data: T; readonly unknown: readonly KeyPath[] }
  | { readonly success: false; readonly issues: readonly z.core.$ZodIssue[] };

/**
 * Parses a value and ignores the keys that strict objects do not define. Returns the parsed value and the ignored keys,
 * or the issues if the rest of the value is not valid.
 */
export function parseLeniently<S extends z.ZodType>(
  schema: S,
  value: unknown,
): Lenient<z.output<S>> {
  const first = schema.safeParse(value);
  if (first.success) return { success: true, data: first.data, unknown: [] };
  const unknown = first.error.issues.flatMap(unknownKeys);
  const second = schema.safeParse(without(value, unknown));
  if (second.success) return { success: true, data: second.data, unknown };
  return { success: false, issues: second.error.issues };
}

function unknownKeys(issue: z.core.$ZodIssue): KeyPath[] {
  if (issue.code !== "unrecognized_keys") return [];
  const parent = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  return issue.keys.map((key) => [...parent, key]);
}

function without(value: unknown, paths: readonly KeyPath[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const path of paths) {
    const parent = path.slice(0, -1).reduce<unknown>((node, key) => at(node, key), copy);
    if (isObject(parent)) Reflect.deleteProperty(parent, path.at(-1) ?? "");
  }
  return copy;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const at = (node: unknown, key: string | number): unknown =>
  isObject(node) ? Reflect.get(node, key) : undefined;
