import type { EventDraft } from "../../core/draft.ts";
import type { ToolItem } from "./items.ts";
import { Names } from "./names.ts";
import { resultOf, toolOf } from "./tools.ts";

/** A tool at work. */
export interface OpenCall {
  readonly callId: string;
  readonly threadId: string;
  readonly item: ToolItem;
}

/** The tools of one turn, its sub-agents' among them: each told once, and its result once and after it. */
export class OpenCalls {
  readonly #names = new Names();
  readonly #open = new Map<string, OpenCall>();
  readonly #ended = new Set<string>();

  start(threadId: string, item: ToolItem): EventDraft[] {
    const key = keyOf(threadId, item);
    if (this.#open.has(key)) return [];
    const callId = this.#names.take(item.id);
    this.#open.set(key, { callId, threadId, item });
    this.#ended.delete(key);
    return [{ type: "tool_call", callId, ...toolOf(item) }];
  }

  /** Some tools are only told of when they are done. */
  end(threadId: string, item: ToolItem): EventDraft[] {
    const key = keyOf(threadId, item);
    if (this.#ended.has(key)) return [];
    const started = this.start(threadId, item);
    const { callId = item.id } = this.#open.get(key) ?? {};
    this.#open.delete(key);
    this.#ended.add(key);
    return [...started, { type: "tool_result", callId, ...resultOf(item) }];
  }

  /** Those that have not ended, in the order they began. */
  get open(): OpenCall[] {
    return [...this.#open.values()];
  }
}

function keyOf(threadId: string, item: ToolItem): string {
  return `${threadId} ${item.id}`;
}
