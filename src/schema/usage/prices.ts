import { z } from "zod";
import type { Usage } from "../outcome.ts";
import builtIn from "./prices.json" with { type: "json" };
import { Day } from "./usage-report.ts";

const price = z.number().nonnegative();

/** The list prices of models, in US dollars per million tokens: `prices.json`. */
export const PriceTable = z.strictObject({
  $schema: z.string().optional(),
  /** The day on which the prices were read from the vendors' pages. */
  asOf: Day,
  /** The prices. The first pattern that matches the id of a model applies. */
  models: z.array(
    z.strictObject({
      /** A model id without its provider. `*` matches any text. */
      pattern: z.string().min(1),
      /** The price of input tokens. */
      input: price,
      /** The price of output tokens. */
      output: price,
      /** The price of input tokens that are read from a cache. Defaults to `input`. */
      cacheRead: price.exactOptional(),
      /** The price of input tokens that are written to a cache. Defaults to `input`. */
      cacheWrite: price.exactOptional(),
    }),
  ),
});
export type PriceTable = z.infer<typeof PriceTable>;

/** The prices that ship with Halyard. */
export const builtInPrices: PriceTable = builtIn;

/** Adds a cost estimate to a usage, unless the runtime reported the cost or no table contains a price for the model. */
export function withEstimate(
  usage: Usage,
  model: string | undefined,
  tables: readonly PriceTable[],
): Usage {
  if (usage.costUsd !== undefined || model === undefined) return usage;
  const prices = tables.flatMap(({ models }) => models).find(({ pattern }) => fits(pattern, model));
  if (prices === undefined) return usage;
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const cost =
    inputTokens * input +
    outputTokens * output +
    cacheReadTokens * cacheRead +
    cacheWriteTokens * cacheWrite;
  return cost === 0 ? usage : { ...usage, estimatedCostUsd: cost / 1_000_000 };
}

function fits(pattern: string, model: string): boolean {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const parts = pattern.toLowerCase().split("*").map(quoted);
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function quoted(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
}
