import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { ToolCall, ToolContent } from "../messages.ts";
import { resultOf, type TerminalState, type Tool, toolOf } from "./tools.ts";

/** The current state of a tool call. */
export interface Call {
  readonly callId: string;
  state: ToolCall;
  isEmitted: boolean;
  /** The tool that the agent requested permission for. Later updates to the call do not change it. */
  judged: Judged | undefined;
  hasEnded: boolean;
}

/** The tool and files in a permission request. */
export interface Judged extends Tool {
  readonly paths: readonly string[];
}

/**
 * Maps the tool calls of one turn. Emits each call and each result once, with the result after its call. A call is
 * emitted when its input is complete: when the tool runs or ends, when permission is requested, or when the agent
 * continues with a message or another call.
 */
export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #terminalOf: (id: string) => TerminalState | undefined;
  #count = 0;

  constructor(terminalOf: (id: string) => TerminalState | undefined) {
    this.#terminalOf = terminalOf;
  }

  get(toolCallId: string): Call | undefined {
    return this.#calls.get(toolCallId);
  }

  /** Calls that have not ended. */
  get open(): Call[] {
    return [...this.#calls.values()].filter(({ hasEnded }) => !hasEnded);
  }

  update(update: ToolCall): EventDraft[] {
    const call = this.#find(update);
    if (call.hasEnded) return [];
    const settled = this.settle(call);
    call.state = merged(call.state, update);
    switch (call.state.status ?? "pending") {
      case "pending":
        return settled;
      case "completed":
      case "failed":
      case "cancelled":
        return [...settled, ...this.#emit(call), ...this.#end(call)];
      default:
        return [...settled, ...this.#emit(call)];
    }
  }

  add(toolCallId: string, content: ToolContent): EventDraft[] {
    const before = this.#calls.get(toolCallId)?.state.content ?? [];
    return this.update({ toolCallId, content: [...before, content] });
  }

  /** Emits a call that needs permission. The request may contain more details than earlier updates. */
  ask(asked: ToolCall): { call: Call; drafts: EventDraft[] } {
    const call = this.#find(asked);
    const settled = this.settle(call);
    const { status, rawInput, title, ...more } = asked;
    const isNew = call.state.rawInput === undefined;
    call.state = merged(call.state, {
      ...more,
      ...(isNew && { rawInput }),
      ...(isNew && { title }),
    });
    return { call, drafts: [...settled, ...this.#emit(call)] };
  }

  /** Emits the buffered calls, except a call that is still being updated. */
  settle(except?: Call): EventDraft[] {
    const held = [...this.#calls.values()].filter((call) => !call.isEmitted && call !== except);
    return held.flatMap((call) => this.#emit(call));
  }

  #find(update: ToolCall): Call {
    const { toolCallId } = update;
    const known = this.#calls.get(toolCallId);
    const isAnother = known?.hasEnded && update.status === "pending";
    if (known && !isAnother) return known;
    this.#count += 1;
    const callId = isAnother ? `${toolCallId}#${this.#count}` : toolCallId;
    const state = { toolCallId };
    const call: Call = { callId, state, isEmitted: false, judged: undefined, hasEnded: false };
    this.#calls.set(toolCallId, call);
    return call;
  }

  #emit(call: Call): EventDraft[] {
    if (call.isEmitted) return [];
    call.isEmitted = true;
    return [{ type: "tool_call", callId: call.callId, ...toolOf(call.state) }];
  }

  #end(call: Call): EventDraft[] {
    call.hasEnded = true;
    const result = resultOf(call.state, this.#terminalOf);
    return [{ type: "tool_result", callId: call.callId, ...result }];
  }
}

/** Merges an update into a call. An absent field keeps its value; null removes the value. */
function merged(before: ToolCall, update: ToolCall): ToolCall {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given), toolCallId: before.toolCallId };
}
