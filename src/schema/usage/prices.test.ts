import { expect, test } from "vitest";
import { builtInPrices, PriceTable, withEstimate } from "./prices.ts";

const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };

test("the built-in price table is valid and dated, and none of its patterns hides a later one", () => {
  expect(PriceTable.parse(builtInPrices)).toEqual(builtInPrices);
  for (const { pattern, input, output } of builtInPrices.models) {
    const id = pattern.replaceAll("*", "");
    const { estimatedCostUsd } = withEstimate(usage, id, [builtInPrices]);
    const expected = expect.closeTo(input + output / 10, 6);
    expect([pattern, estimatedCostUsd]).toEqual([pattern, expected]);
  }
});

test("estimates the cost of all kinds of tokens, regardless of the provider in the id", () => {
  const all = { ...usage, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
  const estimated = withEstimate(all, "anthropic/Claude-Sonnet-4-5-20250929", [builtInPrices]);
  expect(estimated).toEqual({ ...all, estimatedCostUsd: 3 + 1.5 + 0.3 + 3.75 });
});

test("never overwrites the runtime's cost, and estimates nothing for an unknown model", () => {
  const paid = { ...usage, costUsd: 0.25 };
  expect(withEstimate(paid, "gpt-5", [builtInPrices])).toBe(paid);
  expect(withEstimate(usage, "scripted", [builtInPrices])).toBe(usage);
  expect(withEstimate(usage, undefined, [builtInPrices])).toBe(usage);
});

test("prefers the user's price table to the built-in one if both contain the model", () => {
  const own = { asOf: "2026-11-17", models: [{ pattern: "gpt-*", input: 1, output: 0 }] };
  expect(withEstimate(usage, "gpt-5", [own, builtInPrices])).toMatchObject({ estimatedCostUsd: 1 });
});
