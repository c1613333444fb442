import { readFile } from "node:fs/promises";
import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { z } from "zod";
import { HalyardError } from "../core/error.ts";
import { describeIssue, placeOf, placeOfKey } from "./json-place.ts";
import { parseLeniently } from "./unknown-keys.ts";

/** A configuration file as read: what it says, and what it says that means nothing here. */
export interface JsonFile<T> {
  readonly path: string;
  readonly value: T;
  /** The keys nobody knows, each with its place; they were left out. */
  readonly warnings: readonly string[];
}

/**
 * Reads a JSON file that may hold comments and trailing commas. A missing file is undefined; whatever is wrong
 * with it is an `invalid_config` that names the file, the place, the key and what was expected, but never the
 * value, which may be secret. Unknown keys of strict objects are warnings, so that a newer file still works.
 */
export async function readJsonFile<S extends z.ZodType>(
  path: string,
  schema: S,
): Promise<JsonFile<z.output<S>> | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const tree = parseText(path, text);
  const parsed = parseLeniently(schema, getNodeValue(tree));
  if (!parsed.success) {
    throw invalid(
      path,
      parsed.issues.map((issue) => describeIssue(text, tree, issue)),
    );
  }
  const warnings = parsed.unknown.map((keyPath) => {
    const place = placeOfKey(text, tree, keyPath);
    return `${path}:${place}: ${keyPath.join(".")} is not a known setting and was left out`;
  });
  return { path, value: parsed.data, warnings };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new HalyardError("invalid_config", `${path} cannot be read (${code})`, { cause: error });
  }
}

function parseText(path: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (text.trim() === "") throw invalid(path, ["1:1: the file is empty; expected a JSON object"]);
  const [first] = errors;
  if (tree && !first) return tree;
  const place = placeOf(text, first?.offset ?? 0);
  const what = first ? asWords(printParseErrorCode(first.error)) : "nothing but comments";
  throw invalid(path, [`${place}: not JSON: ${what}`]);
}

function invalid(path: string, problems: readonly string[]): HalyardError {
  const message = problems.map((problem) => `${path}:${problem}`).join("\n");
  return new HalyardError("invalid_config", message);
}

/** `CloseBraceExpected` as people say it. */
function asWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
