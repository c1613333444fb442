import { expect } from "vitest";
import { newTurnId } from "../../errors/require-id.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, type Conversation, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import type { Stage } from "./stage.ts";

/** Tests the capability `fork`. */
export function describeForking(test: AdapterTest): void {
  test("continues a resumable copy of a conversation, and does not change the original", async ({
    stage,
  }) => {
    stage.model.on("which fruit", { text: "A banana." });
    const original = await withMemory(stage);
    const { runtimeSessionId } = await original.connection.ready();
    if (runtimeSessionId === undefined) throw new Error("The runtime did not report a session id.");
    const fork = { runtimeSessionId, stateDir: stage.stateDir() };
    const copy = await stage.open({ fork });
    await copy.turn("which fruit was it?");
    expect(said(stage)).toContain("remember BANANA");
    const { runtimeSessionId: resume } = await copy.connection.ready();
    expect([undefined, runtimeSessionId]).not.toContain(resume);
    await copy[Symbol.asyncDispose]();

    const again = await stage.open({ resume: resume ?? "" });
    await again.turn("which fruit, once more?");
    expect(said(stage)).toContain("which fruit was it?");
    await original.turn("which fruit do you know?");
    expect(said(stage)).not.toContain("which fruit was it?");
  });
}

/** Tests the capability `compact`. */
export function describeCompacting(
  test: AdapterTest,
  { compactsFrom = 0 }: RuntimeUnderTest,
): void {
  test("runs a compaction as a turn that replaces the conversation with a summary", async ({
    shared,
  }) => {
    await using conversation = await withMemory(shared);
    shared.model.on("read this", { text: "Read." });
    const pages = Math.ceil(compactsFrom / PAGE);
    for (let page = 0; page < pages; page++)
      await conversation.turn(`read this: ${"lorem ipsum ".repeat(PAGE / 12)}`);
    shared.model.on(/summar/i, { text: SUMMARY });
    // Added after the summary, because the next request repeats the summary's text.
    shared.model.on("which fruit", { text: "A banana." });
    const from = conversation.drafts.length;
    await conversation.connection.compact?.({ turnId: newTurnId() });
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(end).toMatchObject({ status: "completed" });
    const compactions = ofType(drafts, "system").filter(({ subtype }) => subtype === "compaction");
    expect(compactions).not.toEqual([]);
    const { drafts: next } = await conversation.turn("which fruit was it?");
    expect(assistantTexts(next)).toEqual(["A banana."]);
    expect(said(shared)).toContain("kept the word BANANA");
  });
}

/** The length of each message that lengthens the conversation, in characters. */
const PAGE = 48_000;

const SUMMARY = "<summary>\n## Goal\nThe user kept the word BANANA.\n</summary>";

/** Tests the capability `commands`. */
export function describeCommands(test: AdapterTest): void {
  test("lists each slash command once, without the slash", async ({ shared }) => {
    const commands = (await shared.conversation.connection.commands?.()) ?? [];
    const names = commands.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => name.startsWith("/"))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
}

/** Tests the capability `models`. */
export function describeModels(test: AdapterTest, { listsModels }: RuntimeUnderTest): void {
  test("lists models without a session, or rejects with not_signed_in if a sign-in is required", async ({
    shared,
  }) => {
    const { adapter, host, model } = shared;
    const before = model.requests.length;
    const listed = await adapter.models?.(host).catch((error: unknown) => error);
    if (listsModels === false) expect(listed).toMatchObject({ code: "not_signed_in" });
    else
      expect(listed).toEqual(
        expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]),
      );
    expect(model.requests).toHaveLength(before);
  });
}

/** Tests the capability `native-sessions`. */
export function describeNativeSessions(test: AdapterTest): void {
  test("lists no sessions of a directory in which the user has none", async ({ shared }) => {
    const { adapter, host, model } = shared;
    const before = model.requests.length;
    const request = { host, cwd: "/nonexistent", limit: 10, except: new Set<string>() };
    expect(await adapter.nativeSessions?.({ ...request, env: {}, options: {} })).toEqual([]);
    expect(model.requests).toHaveLength(before);
  });
}

/** Tests the capability `structured-output`. */
export function describeStructuredOutput(test: AdapterTest): void {
  test("sends a message's schema to the model, and only with that message", async ({ shared }) => {
    const { model, conversation } = shared;
    const schema = {
      type: "object",
      properties: { count: { type: "integer" } },
      required: ["count"],
      additionalProperties: false,
    };
    const answer = { count: 3 };
    model.on("how many", { text: JSON.stringify(answer) });
    model.on("greet", { text: "Hello." });
    const from = conversation.drafts.length;
    await conversation.connection.send({ turnId: newTurnId(), text: "how many?", schema });
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(end).toMatchObject({ status: "completed" });
    const text = end.text ?? assistantTexts(drafts).at(-1) ?? "";
    expect(end.data ?? JSON.parse(text)).toEqual(answer);
    expect(model.schemas.at(-1)).toMatchObject({ type: "object", properties: schema.properties });
    const count = model.schemas.length;
    await conversation.turn("greet me");
    expect(model.schemas).toHaveLength(count);
  });
}

async function withMemory(stage: Stage): Promise<Conversation> {
  stage.model.on("BANANA", { text: "I will remember." });
  const conversation = await stage.open();
  await conversation.turn("remember BANANA");
  return conversation;
}

/** Returns the texts in the last model request. */
function said({ model }: Stage): string {
  return (model.requests.at(-1)?.messages ?? []).map(({ text }) => text).join("\n");
}
