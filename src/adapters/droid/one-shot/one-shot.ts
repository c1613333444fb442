import type { CompletionDraft, EventDraft } from "../../../contracts/event-draft.ts";
import type { Channel } from "../../../schema/event.ts";
import { noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import { Calls } from "../events/calls.ts";
import { completionOf } from "../events/completion.ts";
import { OneShotMessage, type OneShotUsage } from "./one-shot-messages.ts";

type MessageOf<T extends OneShotMessage["type"]> = Extract<OneShotMessage, { type: T }>;

/** Maps the output of a `droid exec` call with a single turn. The output has no deltas and repeats some messages. */
export class OneShotMapper {
  readonly #calls = new Calls();
  readonly #emitted = new Set<string>();
  #hasEnded = false;
  #error: string | undefined;

  /** Maps a message. Returns undefined for an unknown message, and after the end of the turn. */
  map(native: unknown): EventDraft[] | undefined {
    const { data: message } = OneShotMessage.safeParse(native);
    if (message === undefined || this.#hasEnded) return undefined;
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
        return message.role === "assistant" ? this.#message("text", message) : [];
      case "reasoning":
        return this.#message("reasoning", message);
      case "tool_call": {
        const { id, toolName: name, parameters: input } = message;
        return this.#calls.emit({ id, name, input });
      }
      case "tool_result":
        return this.#calls.end(message.id, outputOf(message), message.isError ?? false);
      case "error":
        return this.#fail(message);
      case "completion":
        return [this.#end("completed", message.usage)];
      case "result":
        return this.#result(message);
    }
  }

  /** Fails the turn if the program reported an error and exited without a completion. */
  flush(): EventDraft[] {
    return this.#error === undefined || this.#hasEnded ? [] : [this.#end("error", undefined)];
  }

  #message(channel: Channel, { id: messageId, text }: { id: string; text: string }): EventDraft[] {
    const key = `${channel} ${messageId}`;
    if (this.#emitted.has(key) || text === "") return [];
    this.#emitted.add(key);
    return [{ type: "message", role: "assistant", channel, messageId, text }];
  }

  /**
   * Records the first error, and ends the turn at the program's error (`cli`). The program's error comes last and only
   * repeats the agent's error, so it does not replace the first error.
   */
  #fail({ source, message }: MessageOf<"error">): EventDraft[] {
    this.#error ??= message;
    return source === "cli" ? [this.#end("error", undefined)] : [];
  }

  #result({ is_error, result = "", session_id, usage }: MessageOf<"result">): EventDraft[] {
    if (is_error) {
      this.#error ??= result || undefined;
      return [this.#end("error", usage)];
    }
    const message = this.#message("text", { id: session_id, text: result });
    return [...message, this.#end("completed", usage)];
  }

  #end(reason: string, usage: OneShotUsage): CompletionDraft {
    this.#hasEnded = true;
    const error = reason === "completed" ? undefined : this.#error;
    return completionOf(reason, { error }, toUsage(usage));
  }
}

function outputOf({ value, error }: MessageOf<"tool_result">): string {
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
