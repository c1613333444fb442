import { readFileSync, statSync } from "node:fs";
import type { z } from "zod";
import { HalyardError } from "../core/error.ts";

/** A configuration file as read: what it says, and what it says that means nothing here. */
export interface JsonFile<T> {
  readonly path: string;
  readonly value: T;
  /** The keys nobody knows, each with its place; they were left out. */
  readonly warnings: readonly string[];
}

/** How a file is read. */
export interface ReadOptions {
  /** Whoever named it may mean a pipe, and waits for it. One that is only found would be waited for in vain. */
  readonly mayBePipe?: boolean;
}

/**
 * Reads a JSON file that may hold comments and trailing commas. A missing file is undefined; whatever is wrong
 * with it is an `invalid_config` that names the file, the place, the key and what was expected, but never the
 * value, which may be secret. Unknown keys of strict objects are warnings, so that a newer file still works.
 */
export async function readJsonFile<S extends z.ZodType>(
  path: string,
  schemaOf: () => S | Promise<S>,
  options?: ReadOptions,
): Promise<JsonFile<z.output<S>> | undefined> {
  const text = readText(path, options);
  if (text === undefined) return undefined;
  const { parseJsonText } = await import("./json-text.ts"); // most places have no such file
  return { path, ...parseJsonText(path, text, await schemaOf()) };
}

/**
 * The text of a file, without a byte order mark; undefined where there is none, as in most places that are looked at:
 * to see that takes less time here than to ask another thread.
 */
export function readText(
  path: string,
  { mayBePipe = false }: ReadOptions = {},
): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isFile() || (mayBePipe && found.isFIFO()))
      return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new HalyardError("invalid_config", `${path} cannot be read (${code})`, { cause: error });
  }
  throw new HalyardError("invalid_config", `${path} cannot be read (it is no file)`);
}
