import type { EventDraft } from "../../core/draft.ts";
import { AssistantBlocks } from "./assistant-blocks.ts";
import type { AssistantMessage, Block, StreamEvent, UserMessage } from "./messages.ts";
import { Plan } from "./plan.ts";
import { toolKind, toolResult } from "./tools.ts";

/** What is said and used in a turn, each thing told once. */
export class TurnContent {
  readonly #blocks = new AssistantBlocks();
  readonly #plan = new Plan();
  /** The tools used that have given nothing back yet. */
  readonly #calls = new Set<string>();
  /** What was told already, by its name. */
  readonly #seen = new Set<string>();
  #text = "";
  #apiError: string | undefined;

  /** What was said last. */
  get text(): string {
    return this.#text;
  }

  /** What the model's API failed with last, by Claude's name for it. */
  get apiError(): string | undefined {
    return this.#apiError;
  }

  /** The plan of the plan mode. */
  get plan(): string | undefined {
    return this.#plan.text;
  }

  /** One event of the model's stream; undefined for one that we do not know. */
  stream(message: StreamEvent): EventDraft[] | undefined {
    return this.#blocks.hear(message);
  }

  assistant(message: AssistantMessage): EventDraft[] {
    const { uuid, error, is_api_error_message: isError = error !== undefined } = message;
    if (uuid !== undefined && this.isRepeated(uuid)) return [];
    if (isError) {
      this.#apiError = error;
      return []; // the end of the turn tells of it
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

  /** What streamed and was not told as a whole never will be. */
  abandon(): EventDraft[] {
    return this.#blocks.abandon();
  }

  /** The turn has ended; its plan goes on. */
  clear(): void {
    this.#blocks.clear();
    this.#calls.clear();
    this.#seen.clear();
    this.#text = "";
    this.#apiError = undefined;
  }

  #block(block: Block, index: number, message: AssistantMessage): EventDraft[] {
    const { type, id, tool_use_id } = block;
    const isOwn = typeof message.parent_tool_use_id !== "string";
    if (type === "text" || type === "thinking") {
      const text = block.text ?? block.thinking ?? "";
      if (!isOwn) return type === "text" ? [subagentText(text, message)] : [];
      const { id: apiMessageId } = message.message;
      const uuid = `${message.uuid ?? apiMessageId}${index === 0 ? "" : `.${index}`}`;
      const channel = type === "text" ? "text" : "reasoning";
      if (channel === "text" && text !== "") this.#text = text;
      return this.#blocks.whole(channel, text, { apiMessageId, uuid });
    }
    if (type.endsWith("tool_use") && id !== undefined) return this.#call(id, block);
    if (type.endsWith("tool_result") && tool_use_id !== undefined)
      return this.#resultOf(tool_use_id, block, undefined);
    return [];
  }

  #call(callId: string, { name = "unknown", input = {} }: Block): EventDraft[] {
    if (this.isRepeated(callId)) return [];
    this.#calls.add(callId);
    const call: EventDraft = { type: "tool_call", callId, name, kind: toolKind(name), input };
    return [call, ...this.#plan.hear(name, input)];
  }

  #resultOf(callId: string, block: Block, details: unknown): EventDraft[] {
    return this.#calls.delete(callId) ? [toolResult(callId, block, details)] : [];
  }
}

function subagentText(text: string, message: AssistantMessage): EventDraft {
  const { parent_tool_use_id: callId, subagent_type: agent } = message;
  const data = { callId, ...(agent !== undefined && { agent }) };
  return { type: "system", subtype: "step", text, data };
}
