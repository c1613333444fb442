import { expect } from "vitest";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { explainFailure } from "../../errors/model-failure.ts";
import type { ModelApi } from "../../schema/model.ts";
import { limitEvent } from "../../session/pauses/reported-limit.ts";
import { resetTimeIn } from "../../session/pauses/reset-time.ts";
import type { ErrorReply } from "../script.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests the usage limits that the model's vendor sets. */
export function describeLimits(test: AdapterTest, { apis: [api] }: RuntimeUnderTest): void {
  test("reports the vendor's usage limit with its reset time, and accepts the next message", async ({
    shared: { model, conversation },
  }) => {
    const resetsAt = new Date(Date.now() + 7_200_000);
    model.on("try", limitReply(resetsAt, api));
    model.on("greet", { text: "Hello." });
    const from = conversation.drafts.length;
    await conversation.send("try it");
    const reported = await conversation.find(resetTimeOf, "usage limit", from);
    expect(Math.abs(reported.getTime() - resetsAt.getTime())).toBeLessThan(TOLERANCE_MS);
    const hasEnded = conversation.drafts.slice(from).some(({ type }) => type === "completion");
    if (!hasEnded) await conversation.connection.cancel(); // otherwise the runtime waits for the reset
    expect((await conversation.finishedTurn(from)).end.status).toBeOneOf(["failed", "cancelled"]);
    expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
  });
}

/** More than a minute, because a runtime may report the time without seconds. */
const TOLERANCE_MS = 90_000;

/**
 * Returns a limit's reset time from a `limit` draft or from the text of the error that ends the turn, as the session
 * does. Returns undefined for other drafts. Fails the test if the turn ends for another reason.
 */
function resetTimeOf(draft: EventDraft): Date | undefined {
  const now = new Date();
  if (draft.type === "system" && draft.subtype === "limit") {
    const { text = "", data } = limitEvent(draft, now);
    if (data?.status !== "reached") return undefined;
    const resetsAt = resetTimeIn(text, now) ?? new Date(data.resetsAt ?? "");
    return Number.isNaN(resetsAt.getTime()) ? undefined : resetsAt;
  }
  if (draft.type !== "completion") return undefined;
  const end = explainFailure(draft, {});
  expect(end).toMatchObject({ status: "failed", error: { code: "rate_limited" } });
  return resetTimeIn(draft.error?.message ?? "", now) ?? new Date(0);
}

/**
 * Returns the error response with which the vendor of an API reports a usage limit. The reset time is in the headers and
 * in the message and, for `openai-responses`, also in the body.
 */
export function limitReply(resetsAt: Date, api: ModelApi): ErrorReply {
  const at = Math.ceil(resetsAt.getTime() / 1000);
  const message = `Rate limit reached. Try again at ${resetsAt.toISOString()}.`;
  if (api === "openai-responses") {
    const fields = { type: "usage_limit_reached", plan_type: "plus", resets_at: at };
    const headers = {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(at),
    };
    return { error: { status: 429, message, fields, headers } };
  }
  const seconds = Math.max(1, Math.round((resetsAt.getTime() - Date.now()) / 1000));
  return { error: { status: 429, message, headers: { "retry-after": String(seconds) } } };
}
