import { expect } from "vitest";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { createAdapterTest } from "../../../testing/adapter-suite/adapter-test.ts";
import { assistantTexts, ofType } from "../../../testing/adapter-suite/conversation.ts";
import { piAdapter } from "../index.ts";
import { piToolCalls } from "./tool-calls.ts";

for (const mode of ["sdk", "rpc"] as const) {
  const test = createAdapterTest({
    createAdapter: ({ env, directory: runtimesDir }) => piAdapter({ mode, env, runtimesDir }),
    createHost: createLocalHost,
    apis: ["openai-chat"],
    tools: piToolCalls,
  });

  test(`compacts a long conversation between two turns, and delays the next message (${mode})`, async ({
    stage,
  }) => {
    const long = "x".repeat(120_000);
    const usage = { inputTokens: 1000, outputTokens: 10 };
    const isFull = { inputTokens: 120_000, outputTokens: 10 };
    stage.model.on("first", { text: "One.", usage });
    stage.model.on("second", { text: "Two.", usage: isFull });
    stage.model.on("third", { text: "Three.", usage });
    stage.model.on(({ tools }) => tools.length === 0, {
      text: "the SUMMARY of it all",
      chunkSize: 4,
      chunkDelayMs: 30,
    });
    const conversation = await stage.open();
    await conversation.turn(`first ${long}`);
    await conversation.turn(`second ${long}`);
    const { drafts, end } = await conversation.turn("third");
    expect(assistantTexts(drafts)).toEqual(["Three."]);
    expect(end.status).toBe("completed");
    const compactions = ofType(conversation.drafts, "system").filter(
      ({ subtype }) => subtype === "compaction",
    );
    expect(compactions.map(({ data }) => data?.state)).toEqual(["started", "completed"]);
    const texts = stage.model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(texts?.some((text) => text.includes("SUMMARY"))).toBe(true);
    expect(texts?.some((text) => text.includes("first"))).toBe(false);
  });
}
