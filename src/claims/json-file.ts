import { readFile, rename, writeFile } from "node:fs/promises";

/** Writes a value as JSON. Replaces an existing file atomically. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Reads and parses a JSON file. Returns undefined if the file cannot be read, or if it does not match the schema. */
export async function readClaimFile<T>(
  file: string,
  schema: { parse(value: unknown): T },
): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
