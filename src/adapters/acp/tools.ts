import type { RequestDraft } from "../../core/draft.ts";
import type { ToolResultEvent } from "../../schema/event.ts";
import type { ToolKind } from "../../schema/permission.ts";
import { unifiedDiff } from "./diff.ts";
import type { ToolCall, ToolContent } from "./messages.ts";
import { textOf } from "./words.ts";

/** What a tool does, as the core tells it. */
export type Tool = NonNullable<RequestDraft["tool"]>;

/** What is known of a terminal that a tool works in. */
export interface ToldTerminal {
  readonly output: string;
  readonly exitCode?: number | undefined;
  /** Whether the command has ended. */
  readonly hasEnded: boolean;
}

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ["read", "read"],
  ["search", "search"],
  ["edit", "edit"],
  ["delete", "edit"],
  ["move", "edit"],
  ["execute", "execute"],
  ["fetch", "fetch"],
]);

export function kindOf({ kind }: Pick<ToolCall, "kind">): ToolKind {
  return kinds.get(kind ?? "other") ?? "other";
}

/** Not every agent names its tools; a title of one word is a name, and otherwise what it does has to do. */
export function toolOf(call: ToolCall): Tool {
  const { name, title, rawInput } = call;
  const word = title && /^[\w.-]+$/.test(title) ? title : undefined;
  const known = hasContent(rawInput) ? rawInput : { ...(title && { title }), paths: pathsOf(call) };
  return { name: name || word || call.kind || "tool", kind: kindOf(call), input: known };
}

/** The kind that may do more: what a request calls reading is no less than what its call was said to be. */
export function graver(one: ToolKind, other: ToolKind): ToolKind {
  return gravest.find((kind) => kind === one || kind === other) ?? "other";
}

const gravest: readonly ToolKind[] = ["execute", "other", "fetch", "edit", "search", "read"];

/** The files that a call says it is about. */
export function pathsOf({ locations, content }: ToolCall): string[] {
  const shown = (content ?? []).flatMap(({ path, changes }) => [
    path,
    ...(changes ?? []).map((change) => change.path),
  ]);
  const all = [...(locations ?? []).map(({ path }) => path), ...shown];
  return [...new Set(all.flatMap((path) => path ?? []))];
}

type Result = Omit<ToolResultEvent, "type" | "callId">;

/** What came of a call that has ended. */
export function resultOf(
  call: ToolCall,
  terminalOf: (id: string) => ToldTerminal | undefined,
): Result {
  const contents = call.content ?? [];
  const terminals = contents.flatMap(({ terminalId }) =>
    terminalId ? (terminalOf(terminalId) ?? []) : [],
  );
  const exitCode = terminals.at(-1)?.exitCode ?? exitCodeIn(call.rawOutput);
  const diff = contents.flatMap((content) => diffOf(content) ?? []).join("");
  const shown = [
    ...terminals.map(({ output }) => output),
    ...contents.flatMap(({ type, content }) =>
      type === "content" && content ? [textOf(content)] : [],
    ),
  ].filter((text) => text !== "");
  const hasFailed = call.status !== "completed";
  return {
    output: shown.length > 0 ? shown.join("\n") : wordsOf(call.rawOutput),
    isError: hasFailed || (exitCode ?? 0) !== 0,
    ...(exitCode !== undefined && { exitCode }),
    ...(diff !== "" && { diff }),
  };
}

function diffOf({ type, path, oldText, newText, patch }: ToolContent): string | undefined {
  if (type !== "diff") return undefined;
  if (patch?.text) return patch.text.endsWith("\n") ? patch.text : `${patch.text}\n`;
  return path ? unifiedDiff(path, oldText ?? undefined, newText ?? "") : undefined;
}

/** What a tool gave back in the agent's own shape: its words, if they can be made out. */
function wordsOf(output: unknown): string {
  if (typeof output === "string") return output;
  if (!hasContent(output)) return "";
  for (const name of ["output", "text", "error", "stdout", "message"]) {
    const words: unknown = Reflect.get(output, name);
    if (typeof words === "string") return words;
  }
  return JSON.stringify(output);
}

/** Some agents tell it beside the output, others a level below. */
function exitCodeIn(output: unknown): number | undefined {
  if (!hasContent(output)) return undefined;
  for (const name of ["exitCode", "exit_code", "exit"]) {
    const code: unknown = Reflect.get(output, name);
    if (Number.isInteger(code)) return Number(code);
  }
  return "metadata" in output ? exitCodeIn(output.metadata) : undefined;
}

function hasContent(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
