import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { AssistantMessage, NativeStreamEvent } from "../messages.ts";

/** Adds up the usage of a turn's model requests while the turn runs, including subagents' requests. */
export class RunningUsage {
  readonly #requests = new Map<string, Usage>();
  /** The id of the model message that is streaming. */
  #streaming: string | undefined;

  get total(): Usage {
    return tidyUsage([...this.#requests.values()].reduce(addUsage, noUsage));
  }

  /**
   * Records a message's usage. Returns true if the usage is final. The usage of a subagent's message is final, because
   * such a message is not streamed.
   */
  message({ message: { id, usage }, parent_tool_use_id }: AssistantMessage): boolean {
    if (id === undefined || usage === undefined) return false;
    this.#requests.set(id, {
      inputTokens: usage.input_tokens ?? 0,
      outputTokens: usage.output_tokens ?? 0,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    });
    return typeof parent_tool_use_id === "string";
  }

  /** Records a message's final output tokens. Returns true if the stream event contains them. */
  stream({ event: { type, message, usage } }: NativeStreamEvent): boolean {
    if (type === "message_start") this.#streaming = message?.id;
    const id = this.#streaming;
    const known = id === undefined ? undefined : this.#requests.get(id);
    if (type !== "message_delta" || id === undefined || known === undefined) return false;
    this.#requests.set(id, { ...known, outputTokens: usage?.output_tokens ?? known.outputTokens });
    return true;
  }

  clear(): void {
    this.#requests.clear();
  }
}
