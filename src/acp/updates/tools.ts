import { basename, resolve } from "node:path";
import { z } from "zod";
import type { ToolResultEvent } from "../../schema/event.ts";
import type { ToolKind } from "../../schema/permission.ts";
import type { FileEdit, ReportedResult, ReportedTool } from "./agent-update.ts";
import { editsIn } from "./edits.ts";
import { readDiff } from "./unified-diff.ts";

interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

/** Describes a tool call for display in an editor: its title, files and changes. */
export function toReportedTool(
  { name, kind, input }: Tool,
  cwd: string,
): Omit<ReportedTool, "callId"> {
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

/** Describes the result of a tool. `tool` is the description of its call, or undefined if the call is unknown. */
export function toReportedResult(
  { callId, output, isError, exitCode, diff }: ToolResultEvent,
  tool: Pick<ReportedTool, "edits"> | undefined,
  cwd: string,
): ReportedResult {
  const edits = isError ? [] : changesIn(diff, tool?.edits ?? [], cwd);
  const isShown = diff !== undefined && edits.length === 0;
  const shown = [...(isShown ? [fenced(diff, "diff")] : []), ...(output ? [fenced(output)] : [])];
  const text = shown.join("\n\n");
  return { callId, isError, text, edits, ...(exitCode !== undefined && { exitCode }) };
}

/** Returns the changes in the diff, or the changes in the tool input if there is no diff or it cannot be parsed. */
function changesIn(diff: string | undefined, fromInput: readonly FileEdit[], cwd: string) {
  const read = diff === undefined ? [] : readDiff(diff, cwd);
  return read.length > 0 ? read : fromInput;
}

/** Wraps program output in a code fence, because editors render text as Markdown. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function titleOf({ name, input }: Tool, paths: readonly string[]): string {
  const { command, pattern, query, url } = MainArguments.safeParse(input).data ?? {};
  const line = Array.isArray(command) ? command.join(" ") : command;
  const files = paths.map((path) => basename(path)).join(", ");
  const what = line ?? pattern ?? query ?? url ?? files;
  return line ? line : what ? `${name} ${what}` : name;
}

const word = z.string().min(1).optional().catch(undefined);

/** Input fields that runtimes use for the main argument of a tool. */
const MainArguments = z.looseObject({
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
