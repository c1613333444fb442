import { realpath, stat } from "node:fs/promises";
import { applyEdits, modify } from "jsonc-parser";
import { z } from "zod";
import { readText } from "./json-file.ts";
import type { KeyPath } from "./json-place.ts";
import { parseJsonText } from "./json-text.ts";
import { writeWhole } from "./write-json.ts";

/** One key of a file, and what it is to say; undefined takes it away. */
export interface JsonChange {
  readonly path: KeyPath;
  readonly value: unknown;
}

/**
 * Changes some keys of a JSON file and leaves everything else as it is: unknown keys, comments, order. The file is there
 * whole at any moment. One that is no JSON is refused and stays as it is.
 */
export async function editJsonFile(path: string, changes: readonly JsonChange[]): Promise<void> {
  const file = await realpath(path).catch(() => path); // a link stays a link
  const before = readText(file);
  if (before !== undefined) parseJsonText(path, before, z.record(z.string(), z.unknown()));
  let text = before ?? "{}\n";
  for (const { path: keyPath, value } of changes)
    text = applyEdits(text, modify(text, [...keyPath], value, { formattingOptions }));
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0o600;
  await writeWhole(file, text, mode & 0o777);
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
