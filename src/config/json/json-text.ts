import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { describeIssue, placeOf, placeOfKey } from "./json-position.ts";
import { parseLeniently } from "./unknown-keys.ts";

/**
 * Parses the text of a configuration file. Throws `invalid_config` with the path and the position if the text is not
 * valid. Unknown keys become warnings.
 */
export function parseJsonText<S extends z.ZodType>(
  path: string,
  text: string,
  schema: S,
): { value: z.output<S>; warnings: string[] } {
  const tree = parseText(path, text);
  const parsed = parseLeniently(schema, getNodeValue(tree));
  if (!parsed.success) {
    throw invalid(
      path,
      parsed.issues.flatMap((issue) => describeIssue(text, tree, issue)),
    );
  }
  const warnings = parsed.unknown.map((keyPath) => {
    const location = placeOfKey(text, tree, keyPath);
    return `${path}:${location}: ${keyPath.join(".")} is not a known setting and was ignored`;
  });
  return { value: parsed.data, warnings };
}

function parseText(path: string, text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (text.trim() === "") throw invalid(path, ["1:1: the file is empty; expected a JSON object"]);
  const [first] = errors;
  if (tree && !first) return tree;
  const location = placeOf(text, first?.offset ?? 0);
  const what = first ? asWords(printParseErrorCode(first.error)) : "nothing but comments";
  throw invalid(path, [`${location}: not JSON: ${what}`]);
}

function invalid(path: string, problems: readonly string[]): HalyardError {
  const message = problems.map((problem) => `${path}:${problem}`).join("\n");
  return new HalyardError("invalid_config", message);
}

/** Turns `CloseBraceExpected` into `close brace expected`. */
function asWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
