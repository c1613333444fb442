import type { ToolCallEvent, ToolResultEvent } from "../../../schema/event.ts";
import type { ToolKind } from "../../../schema/permission.ts";
import { isRecord } from "../../../wire/is-record.ts";
import type { Part, ToolState } from "../messages.ts";

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ["bash", "execute"],
  ["edit", "edit"],
  ["write", "edit"],
  ["patch", "edit"],
  ["apply_patch", "edit"],
  ["multiedit", "edit"],
  ["read", "read"],
  ["external_directory", "read"],
  ["lsp", "read"],
  ["glob", "search"],
  ["grep", "search"],
  ["list", "search"],
  ["codesearch", "search"],
  ["webfetch", "fetch"],
  ["websearch", "fetch"],
]);

/** Maps the name of an OpenCode tool or permission to a kind. */
export function toolKind(name: string): ToolKind {
  return kinds.get(name) ?? "other";
}

interface Call {
  /** The emitted id: the model's id, or the part's id if the model's id is missing or already used. */
  readonly callId: string;
  name: string;
  input: unknown;
  isEmitted: boolean;
  hasEnded: boolean;
  hasFailed: boolean;
}

/** Maps a turn's tool calls. */
export class ToolParts {
  readonly #calls = new Map<string, Call>();
  /** The latest call for each of the model's ids. */
  readonly #byCallId = new Map<string, Call>();

  /** True if a tool is running. */
  get hasOpen(): boolean {
    return [...this.#calls.values()].some(({ isEmitted, hasEnded }) => isEmitted && !hasEnded);
  }

  /** True if the last tool call failed. */
  get lastFailed(): boolean {
    return [...this.#calls.values()].at(-1)?.hasFailed ?? false;
  }

  has(partId: string): boolean {
    return this.#calls.has(partId);
  }

  find(callId: string | undefined): Readonly<Call> | undefined {
    return callId === undefined ? undefined : this.#byCallId.get(callId);
  }

  update(part: Part): (ToolCallEvent | ToolResultEvent)[] {
    const { state } = part;
    if (state === undefined) return [];
    const call = this.#call(part);
    if (call.hasEnded) return [];
    // OpenCode renames an unknown or denied tool to "invalid" and puts its name into the input.
    if (part.tool !== undefined && part.tool !== UNUSABLE) call.name = part.tool;
    else if (isRecord(state.input) && typeof state.input.tool === "string")
      call.name = state.input.tool;
    if (state.status === "pending") return [];
    call.input = state.input ?? {};
    const drafts = call.isEmitted ? [] : [toolCall(call)];
    call.isEmitted = true;
    if (state.status !== "completed" && state.status !== "error") return drafts;
    const result = toolResult(call, part.tool === UNUSABLE, state);
    call.hasEnded = true;
    call.hasFailed = result.isError;
    return [...drafts, result];
  }

  #call({ id, callID, tool = "unknown" }: Part): Call {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const isUsed = callID === undefined || this.#byCallId.has(callID);
    const callId = isUsed ? id : callID;
    const call = {
      callId,
      name: tool,
      input: undefined,
      isEmitted: false,
      hasEnded: false,
      hasFailed: false,
    };
    this.#calls.set(id, call);
    this.#byCallId.set(callID ?? id, call);
    return call;
  }
}

const UNUSABLE = "invalid";

function toolCall({ callId, name, input }: Call): ToolCallEvent {
  return { type: "tool_call", callId, name, kind: toolKind(name), input };
}

function toolResult({ callId }: Call, isUnusable: boolean, state: ToolState): ToolResultEvent {
  const { status, output = "", error = "", metadata = {} } = state;
  const result = { type: "tool_result", callId } as const;
  if (status === "error") return { ...result, output: error, isError: true };
  const { exit, diff } = metadata;
  const exitCode = typeof exit === "number" && Number.isInteger(exit) ? exit : undefined;
  // A killed command's exit code is null.
  const isError = isUnusable || exit === null || (exitCode !== undefined && exitCode !== 0);
  return {
    ...result,
    output,
    isError,
    ...(exitCode !== undefined && { exitCode }),
    ...(typeof diff === "string" && diff !== "" && { diff }),
  };
}
