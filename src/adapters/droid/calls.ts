import type { EventDraft } from "../../core/draft.ts";
import type { Block, ToolUse } from "./messages.ts";
import { toolKind, toolResult } from "./tools.ts";

interface Call {
  readonly name: string;
  readonly input: unknown;
  isTold: boolean;
  hasResult: boolean;
}

/** The tools of a turn: each call is told once, when its input is whole, and each result once, after its call. */
export class Calls {
  readonly #calls = new Map<string, Call>();

  clear(): void {
    this.#calls.clear();
  }

  /** The model still writes the input, or has just written it. */
  note({ id, name, input = {} }: ToolUse): void {
    const known = this.#calls.get(id);
    if (known?.isTold) return;
    this.#calls.set(id, { name, input, isTold: false, hasResult: false });
  }

  tell(use: ToolUse): EventDraft[] {
    this.note(use);
    return this.#tell(use.id, use.name);
  }

  /** Whoever runs a tool has all of its input. */
  running(id: string, name: string): EventDraft[] {
    return this.#tell(id, name);
  }

  /** Droid tells some results twice. */
  end(id: string, content: string | readonly Block[], isError: boolean): EventDraft[] {
    const told = this.#tell(id, "unknown");
    const call = this.#calls.get(id);
    if (call === undefined || call.hasResult) return told;
    call.hasResult = true;
    return [...told, toolResult({ callId: id, name: call.name, content, isError })];
  }

  #tell(callId: string, name: string): EventDraft[] {
    const call = this.#calls.get(callId) ?? { name, input: {}, isTold: false, hasResult: false };
    this.#calls.set(callId, call);
    if (call.isTold) return [];
    call.isTold = true;
    const kind = toolKind(call.name);
    return [{ type: "tool_call", callId, name: call.name, kind, input: call.input }];
  }
}
