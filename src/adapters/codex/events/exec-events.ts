import { z } from "zod";
import { type EventDraft, raw, warning } from "../../../contracts/event-draft.ts";
import { TokenCount, type TurnError } from "../messages.ts";
import { completionOf } from "./completion.ts";
import { ToolItem } from "./items.ts";
import { OpenCalls } from "./open-calls.ts";
import { UsageMeter } from "./usage.ts";

const Item = z.looseObject({ id: z.string(), type: z.string(), text: z.string().optional() });

const ExecEvent = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.looseObject({ type: z.literal("turn.started") }),
  z.looseObject({ type: z.literal("item.started"), item: Item }),
  z.looseObject({ type: z.literal("item.updated"), item: Item }),
  z.looseObject({ type: z.literal("item.completed"), item: Item }),
  z.looseObject({
    type: z.literal("turn.completed"),
    usage: z.preprocess(toCamelCase, TokenCount),
  }),
  z.looseObject({
    type: z.literal("turn.failed"),
    error: z.looseObject({ message: z.string() }),
  }),
  z.looseObject({ type: z.literal("error"), message: z.string() }),
]);
type ExecEvent = z.infer<typeof ExecEvent>;

/**
 * Maps native logs of `codex exec --json`. Sessions never run this command, but `replay` reads such logs. The logs
 * contain only complete messages, ids that restart with every process, and the usage as a running total of the thread.
 */
export class ExecEvents {
  readonly #meter = new UsageMeter();
  #threadId = "";
  #calls: OpenCalls | undefined;
  #turns = 0;

  /** Maps a line. Returns undefined if it is not in this format. */
  map(native: unknown): EventDraft[] | undefined {
    const { data: event } = ExecEvent.safeParse(native);
    return event && (this.#map(event) ?? [raw(native)]);
  }

  #map(event: ExecEvent): EventDraft[] | undefined {
    switch (event.type) {
      case "thread.started": {
        this.#threadId = event.thread_id;
        const data = { runtimeSessionId: event.thread_id };
        return [{ type: "system", subtype: "status", data }];
      }
      case "turn.started":
        this.#turns += 1;
        this.#calls = new OpenCalls();
        this.#meter.reset();
        return [];
      case "item.started":
      case "item.completed":
        return this.#calls && this.#item(event.item, this.#calls, event.type === "item.started");
      case "item.updated":
        return [];
      case "error":
        return this.#calls && failed(event.message);
      case "turn.completed": {
        this.#meter.record(this.#threadId, { total: event.usage, last: event.usage });
        return this.#end("completed");
      }
      case "turn.failed":
        return this.#end("failed", event.error);
    }
  }

  #item(item: z.infer<typeof Item>, calls: OpenCalls, isStart: boolean): EventDraft[] | undefined {
    switch (item.type) {
      case "agent_message":
        return this.#message(item, "text");
      case "reasoning":
        return this.#message(item, "reasoning");
      case "error":
        return [warning(String(item.message ?? ""))];
      case "todo_list":
        return [];
    }
    const { data: tool } = ToolItem.safeParse(toCamelCase(item));
    if (tool === undefined) return undefined;
    return isStart ? calls.start(this.#threadId, tool) : calls.end(this.#threadId, tool);
  }

  #message({ id, text }: z.infer<typeof Item>, channel: "text" | "reasoning"): EventDraft[] {
    if (!text) return [];
    const messageId = `${this.#threadId}/${this.#turns}/${id}`;
    return [{ type: "message", role: "assistant", channel, messageId, text }];
  }

  #end(status: string, error?: TurnError): EventDraft[] | undefined {
    if (this.#calls === undefined) return undefined;
    this.#calls = undefined;
    return [completionOf(status, error, this.#meter.usage)];
  }
}

/** Maps an error. Returns only retries, because the completion reports the error of a failed turn. */
function failed(message: string): EventDraft[] {
  if (!message.startsWith("Reconnecting")) return [];
  return [{ type: "system", subtype: "retry", text: message }];
}

/** Converts snake_case keys to the app server's camelCase keys. */
function toCamelCase(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [camel(key), item]);
  const named = Object.fromEntries(entries);
  return typeof named.type === "string" ? { ...named, type: camel(named.type) } : named;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
