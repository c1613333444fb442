import type { EventDraft } from "../../../contracts/event-draft.ts";
import type {
  AssistantMessage,
  ContentBlock,
  NativeStreamEvent,
  UserMessage,
} from "../messages.ts";
import { AssistantBlocks } from "./assistant-blocks.ts";
import { Plan } from "./plan.ts";
import { toolKind, toolResult } from "./tools.ts";

/** Maps a turn's messages and tool calls to drafts, and drops repeated ones. */
export class TurnContent {
  readonly #blocks = new AssistantBlocks();
  readonly #plan = new Plan();
  /** The ids of the tool calls without a result. */
  readonly #calls = new Set<string>();
  /** The ids of the messages, tool calls and requests that were already mapped. */
  readonly #seen = new Set<string>();
  #text = "";
  #apiError: string | undefined;

  /** The text of the last message. */
  get text(): string {
    return this.#text;
  }

  /** Claude's name for the last model error in the turn, or undefined if there was none. */
  get apiError(): string | undefined {
    return this.#apiError;
  }

  /** The plan from plan mode, if there is one. */
  get plan(): string | undefined {
    return this.#plan.text;
  }

  /** Maps one event from the model's stream. Returns undefined if its type is unknown. */
  stream(message: NativeStreamEvent): EventDraft[] | undefined {
    return this.#blocks.onStreamEvent(message);
  }

  assistant(message: AssistantMessage): EventDraft[] {
    const { uuid, error, is_api_error_message: isError = error !== undefined } = message;
    if (uuid !== undefined && this.isRepeated(uuid)) return [];
    if (isError) {
      this.#apiError = error;
      return []; // the completion reports the error
    }
    return message.message.content.flatMap((block, index) => this.#block(block, index, message));
  }

  user({ message: { content }, tool_use_result: details }: UserMessage): EventDraft[] {
    const results = content.filter(({ tool_use_id }) => tool_use_id !== undefined);
    const isOnly = results.length === 1;
    return results.flatMap((block) =>
      this.#resultOf(block.tool_use_id ?? "", block, isOnly ? details : undefined),
    );
  }

  isRepeated(name: string): boolean {
    if (this.#seen.has(name)) return true;
    this.#seen.add(name);
    return false;
  }

  /** Discards incomplete messages. Returns a retry draft if any of them had text. */
  abandon(): EventDraft[] {
    return this.#blocks.abandon();
  }

  /** Resets the state at the end of a turn, except the plan. */
  clear(): void {
    this.#blocks.clear();
    this.#calls.clear();
    this.#seen.clear();
    this.#text = "";
    this.#apiError = undefined;
  }

  #block(block: ContentBlock, index: number, message: AssistantMessage): EventDraft[] {
    const { type, id, tool_use_id } = block;
    const isOwn = typeof message.parent_tool_use_id !== "string";
    if (type === "text" || type === "thinking") {
      const text = block.text ?? block.thinking ?? "";
      if (!isOwn) return type === "text" ? [subagentText(text, message)] : [];
      const { id: apiMessageId } = message.message;
      const uuid = `${message.uuid ?? apiMessageId}${index === 0 ? "" : `.${index}`}`;
      const channel = type === "text" ? "text" : "reasoning";
      if (channel === "text" && text !== "") this.#text = text;
      return this.#blocks.complete(channel, text, { apiMessageId, uuid });
    }
    if (type.endsWith("tool_use") && id !== undefined) return this.#call(id, block);
    if (type.endsWith("tool_result") && tool_use_id !== undefined)
      return this.#resultOf(tool_use_id, block, undefined);
    return [];
  }

  #call(callId: string, { name = "unknown", input = {} }: ContentBlock): EventDraft[] {
    if (this.isRepeated(callId)) return [];
    this.#calls.add(callId);
    const call: EventDraft = { type: "tool_call", callId, name, kind: toolKind(name), input };
    return [call, ...this.#plan.onToolCall(name, input)];
  }

  #resultOf(callId: string, block: ContentBlock, details: unknown): EventDraft[] {
    return this.#calls.delete(callId) ? [toolResult(callId, block, details)] : [];
  }
}

function subagentText(text: string, message: AssistantMessage): EventDraft {
  const { parent_tool_use_id: callId, subagent_type: agent } = message;
  const data = { callId, ...(agent !== undefined && { agent }) };
  return { type: "system", subtype: "step", text, data };
}
