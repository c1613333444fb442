import { expect, test } from "vitest";
import { createMapper } from "./events.ts";

function map(...messages: unknown[]) {
  const mapper = createMapper();
  return messages.flatMap((message) => mapper.map(message));
}

test("reports a subscription's usage windows, and the retry delay when a usage limit is reached", () => {
  const info = { resetsAt: 1_794_934_800, rateLimitType: "five_hour", utilization: 0.5 };
  const event = (status: string) => ({
    type: "rate_limit_event",
    rate_limit_info: { ...info, status },
  });
  const resetsAt = "2026-11-17T17:00:00.000Z";
  const window = { window: "five_hour", usedPercent: 50, resetsAt };
  const base = { resetsAt, window: "five_hour", windows: [window] };
  const drafts = map(event("allowed"), event("allowed_warning"), event("rejected"));
  expect(drafts).toEqual([
    { type: "system", subtype: "limit", data: { status: "ok", ...base } },
    {
      type: "system",
      subtype: "limit",
      text: "usage limit: allowed warning",
      data: { status: "warning", ...base },
    },
    {
      type: "system",
      subtype: "limit",
      text: "usage limit: rejected",
      data: { status: "reached", ...base },
    },
  ]);
  const retry = { type: "system", subtype: "api_retry", attempt: 1, retry_delay_ms: 40_000 };
  expect(map({ ...retry, error: "rate_limit", error_status: 429 })).toEqual([
    {
      type: "system",
      subtype: "retry",
      text: "rate_limit (429)",
      data: { attempt: 1, delayMs: 40_000 },
    },
    { type: "system", subtype: "limit", data: { status: "reached", retryAfterMs: 40_000 } },
  ]);
});

test("reports the usage after each request to the model", () => {
  const used = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens });
  const request = (id: string, output: number) => [
    { type: "stream_event", event: { type: "message_start", message: { id } } },
    { type: "assistant", uuid: id, message: { id, content: [], usage: used(100, 1) } },
    { type: "stream_event", event: { type: "message_delta", usage: used(0, output) } },
  ];
  const drafts = map(
    { type: "system", subtype: "init", session_id: "s" },
    ...request("a", 7),
    ...request("b", 8),
  );
  expect(drafts.filter((draft) => draft.type === "system" && draft.subtype === "usage")).toEqual([
    {
      type: "system",
      subtype: "usage",
      data: { usage: { inputTokens: 100, outputTokens: 7 } },
    },
    {
      type: "system",
      subtype: "usage",
      data: { usage: { inputTokens: 200, outputTokens: 15 } },
    },
  ]);
});
