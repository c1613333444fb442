import type { CompletionDraft, EventDraft } from "../../core/draft.ts";
import { noUsage, tidyUsage } from "../../core/usage.ts";
import type { Channel } from "../../schema/event.ts";
import { Calls } from "./calls.ts";
import { completionOf } from "./completion.ts";
import { OneShotMessage, type OneShotUsage } from "./one-shot-messages.ts";

type Told<T extends OneShotMessage["type"]> = Extract<OneShotMessage, { type: T }>;

/** The recording of a `droid exec` that ran a single turn: whole messages only, some of them told twice. */
export class OneShotMapper {
  readonly #calls = new Calls();
  readonly #told = new Set<string>();
  #isOver = false;
  #error: string | undefined;

  /** Undefined for what is no such message, or comes after the end. */
  map(native: unknown): EventDraft[] | undefined {
    const { data: message } = OneShotMessage.safeParse(native);
    if (message === undefined || this.#isOver) return undefined;
    switch (message.type) {
      case "system":
        return [
          {
            type: "system",
            subtype: "session_started",
            data: { runtimeSessionId: message.session_id },
          },
        ];
      case "message":
        return message.role === "assistant" ? this.#whole("text", message) : [];
      case "reasoning":
        return this.#whole("reasoning", message);
      case "tool_call": {
        const { id, toolName: name, parameters: input } = message;
        return this.#calls.tell({ id, name, input });
      }
      case "tool_result":
        return this.#calls.end(message.id, outputOf(message), message.isError ?? false);
      case "error":
        return this.#failed(message);
      case "completion":
        return [this.#end("completed", message.usage)];
      case "result":
        return this.#result(message);
    }
  }

  /** A program that said what went wrong and then nothing more has failed. */
  flush(): EventDraft[] {
    return this.#error === undefined || this.#isOver ? [] : [this.#end("error", undefined)];
  }

  #whole(channel: Channel, { id: messageId, text }: { id: string; text: string }): EventDraft[] {
    const key = `${channel} ${messageId}`;
    if (this.#told.has(key) || text === "") return [];
    this.#told.add(key);
    return [{ type: "message", role: "assistant", channel, messageId, text }];
  }

  /** The program's own error comes last and says nothing that the agent's did not. */
  #failed({ source, message }: Told<"error">): EventDraft[] {
    this.#error ??= message;
    return source === "cli" ? [this.#end("error", undefined)] : [];
  }

  #result({ is_error, result = "", session_id, usage }: Told<"result">): EventDraft[] {
    if (is_error) {
      this.#error ??= result || undefined;
      return [this.#end("error", usage)];
    }
    const message = this.#whole("text", { id: session_id, text: result });
    return [...message, this.#end("completed", usage)];
  }

  #end(reason: string, usage: OneShotUsage): CompletionDraft {
    this.#isOver = true;
    const error = reason === "completed" ? undefined : this.#error;
    return completionOf(reason, { error }, toUsage(usage));
  }
}

function outputOf({ value, error }: Told<"tool_result">): string {
  if (error) return error.message;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toUsage(usage: OneShotUsage) {
  if (usage === undefined) return noUsage;
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return tidyUsage({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  });
}
