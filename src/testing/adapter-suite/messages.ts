import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests that messages pass unchanged from the user to the model and back. */
export function describeMessages(test: AdapterTest, runtime: RuntimeUnderTest): void {
  const { longestMessage = Number.POSITIVE_INFINITY, missesMaxTokens = false } = runtime;
  const { normalizesWhitespace = false } = runtime;

  test("emits the model's text over every supported API", async ({ shared, stage }) => {
    shared.model.on("greet", { text: "Hello, Wörld ☃ 👩‍👩‍👧\u2028!" });
    for (const [index, api] of shared.apis.entries()) {
      const model = shared.model.endpoint(api);
      const conversation = index === 0 ? shared.conversation : await stage.open({ model });
      const { drafts, end } = await conversation.turn("greet me");
      expect(assistantTexts(drafts)).toEqual(["Hello, Wörld ☃ 👩‍👩‍👧\u2028!"]);
      expect(end).toMatchObject({ status: "completed", stopReason: "end_turn" });
    }
  });

  test("passes a message to the model unchanged, up to two million characters", async ({
    shared,
  }) => {
    const many = "x".repeat(Math.min(2_000_000, longestMessage - 100));
    const blank = normalizesWhitespace ? " " : "\u2028";
    const text = `say "yes" to Ünïcödé 👍 ${blank} and \\n ${many}`;
    shared.model.on("say", { text: "Yes.", usage: { inputTokens: 9, outputTokens: 1 } });
    await using conversation = await shared.open();
    const asked = shared.model.requests.length;
    await conversation.turn(text);
    const received = shared.model.requests[asked]?.messages.findLast(
      ({ role }) => role === "user",
    )?.text;
    expect(received?.endsWith(text), "text that the model receives").toBe(true);
  });

  test.skipIf(longestMessage === Number.POSITIVE_INFINITY)(
    "rejects a message that is longer than the runtime accepts",
    async ({ shared }) => {
      const sent = shared.conversation.send("x".repeat(longestMessage + 1));
      await expect(sent).rejects.toMatchObject({ code: "invalid_input" });
    },
  );

  test("keeps the messages of earlier turns in the context", async ({ shared }) => {
    shared.model.on("BANANA", { text: "I will remember." });
    shared.model.on("which fruit", { text: "A banana." });
    const { conversation } = shared;
    await conversation.turn("remember BANANA");
    const { drafts } = await conversation.turn("which fruit was it?");
    expect(assistantTexts(drafts)).toEqual(["A banana."]);
    const texts = shared.model.requests.at(-1)?.messages.map(({ text }) => text);
    const expected = ["remember BANANA", "I will remember."].map((one) =>
      expect.stringContaining(one),
    );
    expect(texts).toEqual(expect.arrayContaining(expected));
  });

  test("passes the system prompt to the model", async ({ shared }) => {
    shared.model.on("greet", { text: "Ahoy." });
    await using conversation = await shared.open({ systemPrompt: "Talk like a SAILOR." });
    const asked = shared.model.requests.length;
    await conversation.turn("greet me");
    const request = shared.model.requests[asked];
    const instructions = request?.messages.filter(({ role }) => role === "system") ?? [];
    expect(instructions.map(({ text }) => text).join("\n")).toContain("Talk like a SAILOR.");
  });

  test.skipIf(missesMaxTokens)(
    "reports max_tokens if the model truncates its message",
    async ({ shared }) => {
      shared.model.on("tell", { text: "Once upon a ti", stopReason: "max_tokens" });
      const { conversation } = shared;
      const { end } = await conversation.turn("tell a story");
      expect(end).toMatchObject({ status: "completed", stopReason: "max_tokens" });
    },
  );
}

/** Tests the capability `deltas`. */
export function describeDeltas(test: AdapterTest): void {
  test("emits deltas that add up to the message", async ({ shared }) => {
    const text = "one two three four five six seven";
    shared.model.on("count", { text, chunkSize: 5 });
    const { conversation } = shared;
    const { drafts } = await conversation.turn("count to seven");
    const [message] = ofType(drafts, "message");
    const deltas = ofType(drafts, "delta");
    expect(message?.text).toBe(text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map((delta) => delta.text).join("")).toBe(text);
    expect(new Set(deltas.map(({ messageId }) => messageId))).toEqual(
      new Set([message?.messageId]),
    );
  });
}

/** Tests the capability `reasoning`. */
export function describeReasoning(test: AdapterTest): void {
  test("separates reasoning from text", async ({ stage }) => {
    stage.model.on("think", { reasoning: "Let me see.", text: "I see." });
    const conversation = await stage.open({ reasoning: "low" });
    const { drafts } = await conversation.turn("think about it");
    const messages = ofType(drafts, "message").map(({ channel, text }) => [
      channel,
      text.trimEnd(),
    ]);
    expect(messages).toEqual([
      ["reasoning", "Let me see."],
      ["text", "I see."],
    ]);
  });
}

/** Tests the capability `usage`. */
export function describeUsage(test: AdapterTest): void {
  test("adds up the usage of all model calls in one turn", async ({ shared }) => {
    const usage = { inputTokens: 11, outputTokens: 3 };
    const toolCalls = [shared.tools.shell("true")];
    shared.model.on("work", { toolCalls, usage }, { text: "Done.", usage });
    shared.model.on("greet", { text: "Hello.", usage });
    const { conversation } = shared;
    const work = await conversation.turn("work");
    expect(work.end.usage).toMatchObject({ inputTokens: 22, outputTokens: 6 });
    const greeting = await conversation.turn("greet me");
    expect(greeting.end.usage).toMatchObject(usage);
  });
}
