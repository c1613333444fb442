import { realpath, stat } from "node:fs/promises";
import { applyEdits, modify } from "jsonc-parser";
import { z } from "zod";
import { readText } from "./json-file.ts";
import type { KeyPath } from "./json-position.ts";
import { parseJsonText } from "./json-text.ts";
import { replaceFile } from "./write-json.ts";

/** A key of a file and its new value. Undefined removes the key. */
export interface JsonChange {
  readonly path: KeyPath;
  readonly value: unknown;
}

/**
 * Changes keys of a JSON file and preserves everything else: unknown keys, comments and order. Replaces the file
 * atomically. Creates a missing file with mode 0600. Rejects without a change if the file is not a valid JSON object.
 */
export async function editJsonFile(path: string, changes: readonly JsonChange[]): Promise<void> {
  // if the path is a symbolic link, the link is kept and its target is replaced
  const file = await realpath(path).catch(() => path);
  const before = readText(file);
  if (before !== undefined) parseJsonText(path, before, z.record(z.string(), z.unknown()));
  let text = before ?? "{}\n";
  for (const { path: keyPath, value } of changes)
    text = applyEdits(text, modify(text, [...keyPath], value, { formattingOptions }));
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0o600;
  await replaceFile(file, text, mode & 0o777);
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
