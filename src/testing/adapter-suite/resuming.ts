import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import { untilFirstOutput } from "./first-output.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests the capability `resume`. */
export function describeResuming(test: AdapterTest): void {
  test("resumes a session in another connection with the same id and system prompt", async ({
    shared,
  }) => {
    shared.model.on("BANANA", { text: "I will remember." });
    shared.model.on("which fruit", { text: "A banana." });
    const systemPrompt = "Talk like a SAILOR.";
    const first = await shared.open({ systemPrompt });
    const { runtimeSessionId: resume } = await first.connection.ready();
    await first.turn("remember BANANA");
    await first[Symbol.asyncDispose]();

    if (resume === undefined) throw new Error("The runtime did not report a session id.");
    await using second = await shared.open({ resume, systemPrompt });
    const handshake = await second.connection.ready();
    expect(handshake).toMatchObject({ runtimeSessionId: resume, resumable: true });
    const { drafts } = await second.turn("which fruit was it?");
    expect(assistantTexts(drafts)).toEqual(["A banana."]);
    const said = shared.model.requests.at(-1)?.messages.map(({ text }) => text);
    const words = ["remember BANANA", "I will remember."].map((one) =>
      expect.stringContaining(one),
    );
    expect(said).toEqual(expect.arrayContaining(words));
    expect(said?.join("\n").split("SAILOR").length, "one system prompt").toBe(2);
    const names = [...first.drafts, ...second.drafts].filter(({ type }) => type === "message");
    expect(new Set(ofType(names, "message").map(({ messageId }) => messageId)).size).toBe(2);
  });

  test("reports that a session is resumable, at the latest during the first turn", async ({
    shared,
  }) => {
    shared.model.on("greet", { text: "Hello." });
    await using conversation = await shared.open();
    const handshake = await conversation.connection.ready();
    if (handshake.resumable === true) return;
    await conversation.turn("greet me");
    const said = ofType(conversation.drafts, "system").filter(({ data }) => data?.resumable);
    expect(said).toMatchObject([{ data: { runtimeSessionId: handshake.runtimeSessionId } }]);
  });

  test("rejects the resume of an unknown session", async ({ shared }) => {
    const resume = "00000000-0000-7000-8000-000000000000";
    await expect(shared.open({ resume })).rejects.toMatchObject({
      code: "runtime_session_not_found",
    });
  });
}

/** Tests the capability `attach`. */
export function describeAttaching(test: AdapterTest): void {
  test("attaches during a turn without losing or repeating output", async ({ shared }) => {
    const text = "one two three four five six seven eight nine ten";
    shared.model.on("count", { text, chunkSize: 4, chunkDelayMs: 40 });
    shared.model.on("greet", { text: "Hello." });
    const first = await shared.open();
    const { runtimeSessionId } = await first.connection.ready();
    await first.turn("greet me"); // runs the first turn, which may be slow, before the turn below
    const turnCursor = first.cursor;
    const from = first.drafts.length;
    const asked = shared.model.requests.length;
    await first.send("count to ten");
    await untilFirstOutput(shared, first, { from, asked });
    await first.connection.detach();

    const { cursor } = first;
    const attach = { cursor, turnCursor, ...(runtimeSessionId && { runtimeSessionId }) };
    await using second = await shared.open({ attach });
    expect(await second.connection.ready()).toMatchObject({ runtimeSessionId });
    await second.finishedTurn();
    const deltas = ofType([...first.drafts.slice(from), ...second.drafts], "delta");
    expect(deltas.map((delta) => delta.text).join("")).toBe(text);
    expect(assistantTexts(second.drafts)).toEqual([text]);
    const { drafts } = await second.turn("greet me");
    expect(assistantTexts(drafts)).toEqual(["Hello."]);
  });

  // Uses a separate stage, because a server that other sessions use does not exit.
  test("rejects an attach after the connection is disposed", async ({ stage }) => {
    const first = await stage.open();
    await first[Symbol.asyncDispose]();
    const attach = { cursor: first.cursor, turnCursor: first.cursor };
    await expect(stage.open({ attach })).rejects.toMatchObject({ name: "HalyardError" });
  });
}

/** Tests an attach while a permission request is open. */
export function describeAttachingToRequest(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("accepts the answer to a request that was opened before the attach", async ({ shared }) => {
    shared.model.on("write", { toolCalls: [tools.write("a.txt", "x")] }, { text: "Done." });
    const first = await shared.open({ permissions: "ask" });
    const turnCursor = first.cursor;
    await first.send("write it");
    const { nativeId } = await first.until("request");
    await first.connection.detach();

    const attach = { cursor: first.cursor, turnCursor };
    await using second = await shared.open({ permissions: "ask", attach });
    await second.connection.answer(nativeId, { decision: "allow" });
    expect(assistantTexts((await second.finishedTurn()).drafts)).toEqual(["Done."]);
    expect(ofType(second.drafts, "request")).toEqual([]);
  });
}
