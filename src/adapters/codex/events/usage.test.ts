import { expect, test } from "vitest";
import { UsageMeter } from "./usage.ts";

test("counts cached tokens once, separately from other input tokens", () => {
  const meter = new UsageMeter();
  const total = {
    inputTokens: 1000,
    outputTokens: 20,
    cachedInputTokens: 700,
    cacheWriteInputTokens: 200,
    reasoningOutputTokens: 5,
  };
  meter.record("thread", { total, last: total });
  expect(meter.usage).toEqual({
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 700,
    cacheWriteTokens: 200,
    reasoningTokens: 5,
  });
});
