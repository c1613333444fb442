import { basename, resolve } from "node:path";
import { z } from "zod";
import type { ToolResultEvent } from "../schema/event.ts";
import type { ToolKind } from "../schema/permission.ts";
import { editsIn } from "./edits.ts";
import type { FileEdit, ToldResult, ToldTool } from "./telling.ts";
import { readDiff } from "./unified-diff.ts";

interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

/** A tool as somebody in an editor wants to see it: what it does, and to which files. */
export function toldTool({ name, kind, input }: Tool, cwd: string): Omit<ToldTool, "callId"> {
  const paths = pathsIn(input, cwd);
  return {
    name,
    kind,
    input,
    title: titleOf({ name, kind, input }, paths),
    paths,
    edits: kind === "edit" ? editsIn(input, paths[0], cwd) : [],
  };
}

/** What came of a tool; `tool` is what was told of it when it began. */
export function toldResult(
  { callId, output, isError, exitCode, diff }: ToolResultEvent,
  tool: Pick<ToldTool, "edits"> | undefined,
  cwd: string,
): ToldResult {
  const edits = isError ? [] : changesIn(diff, tool?.edits ?? [], cwd);
  const isShown = diff !== undefined && edits.length === 0;
  const shown = [...(isShown ? [fenced(diff, "diff")] : []), ...(output ? [fenced(output)] : [])];
  const text = shown.join("\n\n");
  return { callId, isError, text, edits, ...(exitCode !== undefined && { exitCode }) };
}

/** What a diff says is more than what the tool was asked for; not every runtime's diff can be read. */
function changesIn(diff: string | undefined, asked: readonly FileEdit[], cwd: string) {
  const read = diff === undefined ? [] : readDiff(diff, cwd);
  return read.length > 0 ? read : asked;
}

/** Editors take text for Markdown, which the output of a program is not. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function titleOf({ name, input }: Tool, paths: readonly string[]): string {
  const { command, pattern, query, url } = Telling.safeParse(input).data ?? {};
  const asked = Array.isArray(command) ? command.join(" ") : command;
  const files = paths.map((path) => basename(path)).join(", ");
  const what = asked ?? pattern ?? query ?? url ?? files;
  return asked ? asked : what ? `${name} ${what}` : name;
}

const word = z.string().min(1).optional().catch(undefined);

/** The names under which runtimes give what matters. */
const Telling = z.looseObject({
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)])
    .optional()
    .catch(undefined),
  pattern: word,
  query: word,
  url: word,
});

function pathsIn(input: unknown, cwd: string): string[] {
  const named = z.record(z.string(), z.unknown()).safeParse(input).data ?? {};
  const found = pathNames.flatMap((name) => named[name]);
  const paths = found.filter((path): path is string => typeof path === "string" && path !== "");
  return [...new Set(paths.map((path) => resolve(cwd, path)))];
}

const pathNames = ["path", "file_path", "filePath", "file", "notebook_path", "paths"];
