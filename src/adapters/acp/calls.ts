import type { EventDraft } from "../../core/draft.ts";
import type { ToolCall, ToolContent } from "./messages.ts";
import { resultOf, type ToldTerminal, type Tool, toolOf } from "./tools.ts";

/** A tool call as far as it is known. */
export interface Call {
  readonly callId: string;
  state: ToolCall;
  isTold: boolean;
  /** What the agent has asked permission for, as it was judged. What the agent says of the call later does not count. */
  judged: Judged | undefined;
  hasEnded: boolean;
}

/** What permission was asked for. */
export interface Judged extends Tool {
  /** The files that the request named. */
  readonly paths: readonly string[];
}

/**
 * The tools of one turn: each told once, and its result once and after it. A call that is still being put together
 * is held back until its input must be whole: when it runs, when permission is asked for it, when the agent goes on
 * to something else.
 */
export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #terminalOf: (id: string) => ToldTerminal | undefined;
  #count = 0;

  constructor(terminalOf: (id: string) => ToldTerminal | undefined) {
    this.#terminalOf = terminalOf;
  }

  get(toolCallId: string): Call | undefined {
    return this.#calls.get(toolCallId);
  }

  /** Those under way. */
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
        return [...settled, ...this.#tell(call), ...this.#end(call)];
      default:
        return [...settled, ...this.#tell(call)];
    }
  }

  add(toolCallId: string, content: ToolContent): EventDraft[] {
    const before = this.#calls.get(toolCallId)?.state.content ?? [];
    return this.update({ toolCallId, content: [...before, content] });
  }

  /** Permission is asked for it: the request may know more of it than was told, and may put it in other words. */
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
    return { call, drafts: [...settled, ...this.#tell(call)] };
  }

  /** Tells of what was held back, but for the one that is being put together now. */
  settle(except?: Call): EventDraft[] {
    const held = [...this.#calls.values()].filter((call) => !call.isTold && call !== except);
    return held.flatMap((call) => this.#tell(call));
  }

  #find(update: ToolCall): Call {
    const { toolCallId } = update;
    const known = this.#calls.get(toolCallId);
    const isAnother = known?.hasEnded && update.status === "pending";
    if (known && !isAnother) return known;
    this.#count += 1;
    const callId = isAnother ? `${toolCallId}#${this.#count}` : toolCallId;
    const state = { toolCallId };
    const call: Call = { callId, state, isTold: false, judged: undefined, hasEnded: false };
    this.#calls.set(toolCallId, call);
    return call;
  }

  #tell(call: Call): EventDraft[] {
    if (call.isTold) return [];
    call.isTold = true;
    return [{ type: "tool_call", callId: call.callId, ...toolOf(call.state) }];
  }

  #end(call: Call): EventDraft[] {
    call.hasEnded = true;
    const result = resultOf(call.state, this.#terminalOf);
    return [{ type: "tool_result", callId: call.callId, ...result }];
  }
}

/** What is left out stays as it was; null takes it away. */
function merged(before: ToolCall, update: ToolCall): ToolCall {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given), toolCallId: before.toolCallId };
}
