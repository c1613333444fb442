import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { ContentBlock, ToolUse } from "../messages.ts";
import { toolKind, toolResult } from "./tools.ts";

interface Call {
  readonly name: string;
  readonly input: unknown;
  isEmitted: boolean;
  hasResult: boolean;
}

/** Maps a turn's tool calls. Emits each call once, when its input is complete, and each result once, after its call. */
export class Calls {
  readonly #calls = new Map<string, Call>();

  clear(): void {
    this.#calls.clear();
  }

  /** Records a call whose input may still be incomplete. */
  record({ id, name, input = {} }: ToolUse): void {
    const known = this.#calls.get(id);
    if (known?.isEmitted) return;
    this.#calls.set(id, { name, input, isEmitted: false, hasResult: false });
  }

  emit(use: ToolUse): EventDraft[] {
    this.record(use);
    return this.#emit(use.id, use.name);
  }

  /** Emits the call when the tool starts to run, because its input is then complete. */
  running(id: string, name: string): EventDraft[] {
    return this.#emit(id, name);
  }

  /** Emits a call's result. Droid reports some results twice; the second report is ignored. */
  end(id: string, content: string | readonly ContentBlock[], isError: boolean): EventDraft[] {
    const drafts = this.#emit(id, "unknown");
    const call = this.#calls.get(id);
    if (call === undefined || call.hasResult) return drafts;
    call.hasResult = true;
    return [...drafts, toolResult({ callId: id, name: call.name, content, isError })];
  }

  #emit(callId: string, name: string): EventDraft[] {
    const call = this.#calls.get(callId) ?? { name, input: {}, isEmitted: false, hasResult: false };
    this.#calls.set(callId, call);
    if (call.isEmitted) return [];
    call.isEmitted = true;
    const kind = toolKind(call.name);
    return [{ type: "tool_call", callId, name: call.name, kind, input: call.input }];
  }
}
