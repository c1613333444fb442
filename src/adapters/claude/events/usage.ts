import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { ResultMessage } from "../messages.ts";

/**
 * Computes the usage of each turn. The cost is the difference of two running totals, unless Claude reports the usage
 * per model.
 */
export class UsageMeter {
  /** The process's total cost so far, in US dollars. Undefined after an attach, until the first result. */
  #totalUsd: number | undefined;

  constructor({ fromStart }: { fromStart: boolean }) {
    this.#totalUsd = fromStart ? 0 : undefined;
  }

  read({ usage, model_usage_since_last_result: models, total_cost_usd }: ResultMessage): Usage {
    const before = this.#totalUsd;
    this.#totalUsd = total_cost_usd ?? before;
    const perModel = Object.values(models ?? {});
    if (perModel.length > 0) return tidyUsage(perModel.map(ofModel).reduce(addUsage));
    const isKnown = before !== undefined && total_cost_usd !== undefined && models === undefined;
    return tidyUsage({
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? 0,
      cacheReadTokens: usage?.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage?.cache_creation_input_tokens ?? 0,
      reasoningTokens: usage?.output_tokens_details?.thinking_tokens ?? 0,
      costUsd: isKnown ? Math.max(0, total_cost_usd - before) : 0,
    });
  }
}

type Models = NonNullable<ResultMessage["model_usage_since_last_result"]>;

function ofModel(model: Models[string]): Usage {
  return {
    inputTokens: model.inputTokens ?? 0,
    outputTokens: model.outputTokens ?? 0,
    cacheReadTokens: model.cacheReadInputTokens ?? 0,
    cacheWriteTokens: model.cacheCreationInputTokens ?? 0,
    reasoningTokens: model.thinkingTokens ?? 0,
    costUsd: model.costUSD ?? 0,
  };
}
