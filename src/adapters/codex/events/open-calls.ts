import type { EventDraft } from "../../../contracts/event-draft.ts";
import { UniqueIds } from "../unique-ids.ts";
import type { ToolItem } from "./items.ts";
import { resultOf, toolOf } from "./tools.ts";

/** A tool call without a result. */
export interface OpenCall {
  readonly callId: string;
  readonly threadId: string;
  readonly item: ToolItem;
}

/** Maps a turn's tool calls, including subagents' calls. Emits each call and each result once, in order. */
export class OpenCalls {
  readonly #ids = new UniqueIds();
  readonly #open = new Map<string, OpenCall>();
  readonly #ended = new Set<string>();

  start(threadId: string, item: ToolItem): EventDraft[] {
    const key = keyOf(threadId, item);
    if (this.#open.has(key)) return [];
    const callId = this.#ids.make(item.id);
    this.#open.set(key, { callId, threadId, item });
    this.#ended.delete(key);
    return [{ type: "tool_call", callId, ...toolOf(item) }];
  }

  /** Emits the result. Also emits the call if Codex reports the call only when it ends. */
  end(threadId: string, item: ToolItem): EventDraft[] {
    const key = keyOf(threadId, item);
    if (this.#ended.has(key)) return [];
    const started = this.start(threadId, item);
    const { callId = item.id } = this.#open.get(key) ?? {};
    this.#open.delete(key);
    this.#ended.add(key);
    return [...started, { type: "tool_result", callId, ...resultOf(item) }];
  }

  /** The calls without a result, in the order in which they started. */
  get open(): OpenCall[] {
    return [...this.#open.values()];
  }
}

function keyOf(threadId: string, item: ToolItem): string {
  return `${threadId} ${item.id}`;
}
