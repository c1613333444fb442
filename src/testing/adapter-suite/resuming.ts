import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { speaking } from "./speaking.ts";

export function describeResuming(test: AdapterTest): void {
  test("goes on in another connection where it was, under the same id", async ({ stage }) => {
    stage.model.on("BANANA", { text: "I will remember." });
    stage.model.on("which fruit", { text: "A banana." });
    const first = await stage.open();
    const { runtimeSessionId: resume } = await first.connection.ready();
    await first.turn("remember BANANA");
    await first[Symbol.asyncDispose]();

    if (resume === undefined) throw new Error("the runtime gave no id to resume by");
    const second = await stage.open({ resume });
    const handshake = await second.connection.ready();
    expect(handshake).toMatchObject({ runtimeSessionId: resume, resumable: true });
    const { drafts } = await second.turn("which fruit was it?");
    expect(spoken(drafts)).toEqual(["A banana."]);
    const said = stage.model.requests.at(-1)?.messages.map(({ text }) => text);
    const words = ["remember BANANA", "I will remember."].map((one) =>
      expect.stringContaining(one),
    );
    expect(said).toEqual(expect.arrayContaining(words));
    const names = [...first.drafts, ...second.drafts].filter(({ type }) => type === "message");
    expect(new Set(ofType(names, "message").map(({ messageId }) => messageId)).size).toBe(2);
  });

  test("says when it could be resumed, and not before", async ({ shared }) => {
    shared.model.on("greet", { text: "Hello." });
    await using conversation = await shared.open();
    const handshake = await conversation.connection.ready();
    if (handshake.resumable === true) return;
    await conversation.turn("greet me");
    const said = ofType(conversation.drafts, "system").filter(({ data }) => data?.resumable);
    expect(said).toMatchObject([{ data: { runtimeSessionId: handshake.runtimeSessionId } }]);
  });

  test("never takes up a session that it does not know", async ({ stage }) => {
    const resume = "00000000-0000-7000-8000-000000000000";
    await expect(stage.open({ resume })).rejects.toMatchObject({
      code: "runtime_session_not_found",
    });
  });
}

export function describeAttaching(test: AdapterTest): void {
  test("is found again in mid-turn, with nothing lost or told twice", async ({ stage }) => {
    const text = "one two three four five six seven eight nine ten";
    stage.model.on("count", { text, chunkSize: 4, chunkDelayMs: 40 });
    stage.model.on("greet", { text: "Hello." });
    const first = await stage.open();
    const { runtimeSessionId } = await first.connection.ready();
    await first.turn("greet me"); // what is slow the first time would tell all of the next turn at once
    const turnCursor = first.cursor;
    const from = first.drafts.length;
    await first.send("count to ten");
    await speaking(stage, first, { from, asked: 1 });
    await first.connection.detach();

    const { cursor } = first;
    const attach = { cursor, turnCursor, ...(runtimeSessionId && { runtimeSessionId }) };
    const second = await stage.open({ attach });
    expect(await second.connection.ready()).toMatchObject({ runtimeSessionId });
    await second.told();
    const deltas = ofType([...first.drafts.slice(from), ...second.drafts], "delta");
    expect(deltas.map((delta) => delta.text).join("")).toBe(text);
    expect(spoken(second.drafts)).toEqual([text]);
    const { drafts } = await second.turn("greet me");
    expect(spoken(drafts)).toEqual(["Hello."]);
  });

  test("is not found again once it has ended", async ({ stage }) => {
    const first = await stage.open();
    await first[Symbol.asyncDispose]();
    const attach = { cursor: first.cursor, turnCursor: first.cursor };
    await expect(stage.open({ attach })).rejects.toMatchObject({ name: "HalyardError" });
  });
}

export function describeAttachingToRequest(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("can still be answered what it asked before", async ({ stage }) => {
    stage.model.on("write", { toolCalls: [tools.write("a.txt", "x")] }, { text: "Done." });
    const first = await stage.open({ permissions: "ask" });
    const turnCursor = first.cursor;
    await first.send("write it");
    const { nativeId } = await first.until("request");
    await first.connection.detach();

    const attach = { cursor: first.cursor, turnCursor };
    const second = await stage.open({ permissions: "ask", attach });
    await second.connection.answer(nativeId, { decision: "allow" });
    expect(spoken((await second.told()).drafts)).toEqual(["Done."]);
    expect(ofType(second.drafts, "request")).toEqual([]);
  });
}
