import type { RequestDraft } from "../../../contracts/event-draft.ts";
import type { ToolResultEvent } from "../../../schema/event.ts";
import type { ToolKind } from "../../../schema/permission.ts";
import type { ToolCall, ToolContent } from "../messages.ts";
import { unifiedDiff } from "./diff.ts";
import { textOf } from "./open-message.ts";

/** The name, kind and input of a tool. */
export type Tool = NonNullable<RequestDraft["tool"]>;

/** The state of a terminal that a tool uses. */
export interface TerminalState {
  readonly output: string;
  readonly exitCode?: number | undefined;
  /** True if the command has exited. */
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

/** Maps an ACP tool kind to a Halyard tool kind. A missing or unknown kind becomes `other`. */
export function kindOf({ kind }: Pick<ToolCall, "kind">): ToolKind {
  return kinds.get(kind ?? "other") ?? "other";
}

/**
 * Describes a tool call. If the agent sends no name, the name is a one-word title, the kind or `tool`, in this order. If
 * the call has no input, its title and paths are the input.
 */
export function toolOf(call: ToolCall): Tool {
  const { name, title, rawInput } = call;
  const word = title && /^[\w.-]+$/.test(title) ? title : undefined;
  const known = hasContent(rawInput) ? rawInput : { ...(title && { title }), paths: pathsOf(call) };
  return { name: name || word || call.kind || "tool", kind: kindOf(call), input: known };
}

/** Returns the more severe of two kinds. A permission request cannot lower the kind of its call. */
export function moreSevere(one: ToolKind, other: ToolKind): ToolKind {
  return bySeverity.find((kind) => kind === one || kind === other) ?? "other";
}

const bySeverity: readonly ToolKind[] = ["execute", "other", "fetch", "edit", "search", "read"];

/** Returns the paths of the files that a call names in its locations and diffs. */
export function pathsOf({ locations, content }: ToolCall): string[] {
  const shown = (content ?? []).flatMap(({ path, changes }) => [
    path,
    ...(changes ?? []).map((change) => change.path),
  ]);
  const all = [...(locations ?? []).map(({ path }) => path), ...shown];
  return [...new Set(all.flatMap((path) => path ?? []))];
}

type Result = Omit<ToolResultEvent, "type" | "callId">;

/** Builds the result of a call that has ended. */
export function resultOf(
  call: ToolCall,
  terminalOf: (id: string) => TerminalState | undefined,
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
    output: shown.length > 0 ? shown.join("\n") : outputText(call.rawOutput),
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

/** Extracts the text from a raw output, whose shape differs between agents. */
function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (!hasContent(output)) return "";
  for (const name of ["output", "text", "error", "stdout", "message"]) {
    const text: unknown = Reflect.get(output, name);
    if (typeof text === "string") return text;
  }
  return JSON.stringify(output);
}

/** Finds the exit code in a raw output: at the top level, or in `metadata`. */
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
