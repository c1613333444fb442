import { readFileSync, statSync } from "node:fs";
import type { z } from "zod";
import { codeOrReason, HalyardError } from "../../errors/error.ts";

/** The value of a configuration file, and warnings about its unknown keys. */
export interface JsonFile<T> {
  readonly path: string;
  readonly value: T;
  /** Warnings about unknown keys, which are ignored, with their positions. */
  readonly warnings: readonly string[];
}

/** Options of `readJsonFile` and `readText`. */
export interface JsonFileOptions {
  /**
   * True to accept a named pipe and wait for its writer. Defaults to false, because a pipe in a project directory may
   * have no writer.
   */
  readonly mayBePipe?: boolean;
}

/**
 * Reads a JSON file that may contain comments and trailing commas. Resolves to undefined if the file does not exist.
 * Rejects with `invalid_config` if the file cannot be read, is not a regular file, or is invalid. For an invalid value,
 * the message contains the file, the position, the key and the expected type, but never the value, which may be secret.
 * Unknown keys of strict objects become warnings, so that files for newer versions work.
 */
export async function readJsonFile<S extends z.ZodType>(
  path: string,
  schemaOf: () => S | Promise<S>,
  options?: JsonFileOptions,
): Promise<JsonFile<z.output<S>> | undefined> {
  const text = readText(path, options);
  if (text === undefined) return undefined;
  // loaded on demand, because most directories have no such file
  const { parseJsonText } = await import("./json-text.ts");
  return { path, ...parseJsonText(path, text, await schemaOf()) };
}

/**
 * Reads the text of a file without its byte order mark. Returns undefined if the file does not exist. Throws
 * `invalid_config` if the file cannot be read or is not a regular file. Synchronous, because most files do not exist,
 * and a synchronous check is faster than the thread pool.
 */
export function readText(
  path: string,
  { mayBePipe = false }: JsonFileOptions = {},
): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isFile() || (mayBePipe && found.isFIFO()))
      return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const reason = codeOrReason(error);
    if (reason === "ENOENT" || reason === "ENOTDIR") return undefined;
    throw new HalyardError(
      "invalid_config",
      `${path} cannot be read (${reason}). Check the file and its permissions.`,
      { cause: error },
    );
  }
  throw new HalyardError(
    "invalid_config",
    `${path} is not a regular file. Replace it with a file, or remove it.`,
  );
}
