import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { NativeSessionQuery } from "../../schema/runtimes/native-session.ts";
import {
  collect,
  type HalyardFixture,
  type OpenFixture,
  startFake,
  startUnready,
} from "./fixture.ts";

const schema = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
  additionalProperties: false,
};

/** Tests forks, compaction, command and model lists, and answers with a schema. */
export function describeConversations(open: OpenFixture): void {
  describe("fork", () => {
    test("continues a copy, and leaves the original unaffected", async () => {
      await using fixture = await open();
      const original = await startFake(fixture, { labels: { team: "a" }, env: { COLOR: "red" } });
      await original.send("say heron").outcome;
      const copy = await original.fork({ name: "copy" });
      await copy.ready();
      expect(copy.id).not.toBe(original.id);
      expect(copy.info).toMatchObject({
        name: "copy",
        forkedFrom: original.id,
        labels: { team: "a" },
        permissions: "allow-all",
        runtime: "fake",
        cwd: fixture.cwd,
      });
      expect(copy.info.runtimeSessionId).not.toBe(original.info.runtimeSessionId);
      expect((await copy.send("recall").outcome).text).toBe("say heron");
      expect((await copy.send("echo-env COLOR").outcome).text).toBe("red");
      expect((await original.send("flag plan").outcome).text).toBe("false");
      await copy.stop();
      const again = await fixture.halyard.resume(copy.id);
      expect((await again.send("recall").outcome).text).toBe("say heron");
    });

    test("copies an ended session's conversation, by the session's id", async () => {
      await using fixture = await open();
      const original = await startFake(fixture);
      await original.send("say heron").outcome;
      await original.stop();
      const copy = await startFake(fixture, { forkedFrom: original.id });
      expect((await copy.send("recall").outcome).text).toBe("say heron");
    });

    test("is rejected during a turn, without a conversation, and on another runtime", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await expect(session.fork()).rejects.toMatchObject({ code: "not_resumable" });
      await session.send("say heron").outcome;
      const turn = session.send("wait");
      await turn.accepted;
      await expect(session.fork()).rejects.toThrow("is running a turn");
      await turn.cancel();
      const other = startFake(fixture, { runtime: "mortal", forkedFrom: session.id });
      await expect(other).rejects.toMatchObject({ code: expect.stringMatching(/invalid|unknown/) });
      expect(await fixture.halyard.sessions()).toHaveLength(1);
    });
  });

  describe("compact", () => {
    test("is a turn that replaces the conversation with a summary", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const running = session.send("wait");
      expect((await running.accepted).status).toBe("confirmed");
      const turn = session.compact();
      expect((await turn.accepted).status).toBe("queued");
      await running.cancel();
      const events = await collect(turn);
      expect(events).toContainEqual(expect.objectContaining({ subtype: "compaction" }));
      expect(await turn.outcome).toMatchObject({
        status: "completed",
        usage: { inputTokens: 7, outputTokens: 1 },
      });
      expect((await session.send("recall").outcome).text).toBe("say summary of 1");
      expect(session.info.turns).toBe(3);
    });

    test("starts one turn if it is called twice with the same id", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say heron").outcome;
      const id = `trn_${"a".repeat(16)}`;
      await session.compact({ id }).outcome;
      await session.compact({ id }).outcome;
      expect(session.info.turns).toBe(2);
    });
  });

  test("lists a session's commands and a runtime's models", async () => {
    await using fixture = await open();
    const session = await startFake(fixture);
    expect(await session.commands()).toEqual([{ name: "say" }, { name: "think" }]);
    expect(await fixture.halyard.models("fake")).toEqual([
      { id: "fake-large", isDefault: true },
      { id: "fake-small" },
    ]);
    await expect(fixture.halyard.models("none")).rejects.toMatchObject({ code: "unknown_runtime" });
  });

  describe("a session that the runtime recorded without Halyard", () => {
    test("is listed, and continued as a copy", async () => {
      await using fixture = await open();
      const { accountDir, file } = await recordNatively(fixture, "heron-1", "say heron");
      await recordNatively(fixture, "gull-1", "say gull", "/elsewhere");
      const listed = { id: "heron-1", title: "say heron", cwd: fixture.cwd };
      const { cwd } = fixture;
      const list = (query: NativeSessionQuery) =>
        fixture.halyard.nativeSessions("fake", { accountDir, ...query });
      expect(await list({ cwd })).toMatchObject([listed]);
      expect(await list({ cwd, options: { startup: "" } })).toMatchObject([listed]);
      expect(await list({ id: "gull" })).toMatchObject([{ id: "gull-1", cwd: "/elsewhere" }]);
      expect((await list({})).map(({ id }) => id).sort()).toEqual(["gull-1", "heron-1"]);
      expect(await list({ limit: 1 })).toHaveLength(1);
      const before = await readFile(file, "utf8");
      const session = await startFake(fixture, { accountDir, continuedFrom: "heron-1" });
      expect(session.info).toMatchObject({ continuedFrom: "heron-1" });
      expect(session.info.runtimeSessionId).not.toBe("heron-1");
      expect((await session.send("recall").outcome).text).toBe("say heron");
      expect(await readFile(file, "utf8")).toBe(before);
      const events = await collect(session.events({ follow: false }));
      const started = events.find((event) => event.type === "system" && event.data?.opened);
      expect(started).toMatchObject({
        subtype: "session_started",
        data: { opened: "started", continuedFrom: "heron-1" },
      });
      await session.stop();
      const again = await fixture.halyard.resume(session.id);
      expect((await again.send("recall").outcome).text).toBe("say heron");
    });

    test("is rejected if the runtime does not know it, and together with a fork", async () => {
      await using fixture = await open();
      const { accountDir } = await recordNatively(fixture, "heron-1", "say heron");
      const unknown = await startUnready(fixture, { accountDir, continuedFrom: "tern-1" });
      await expect(unknown.ready()).rejects.toMatchObject({
        code: "runtime_session_not_found",
        message: expect.stringContaining('Run "halyard runtime sessions fake --all"'),
      });
      const session = await startFake(fixture);
      await session.send("say gull").outcome;
      const both = { accountDir, continuedFrom: "heron-1", forkedFrom: session.id };
      await expect(startUnready(fixture, both)).rejects.toMatchObject({ code: "invalid_input" });
      const list = fixture.halyard.nativeSessions("none");
      await expect(list).rejects.toMatchObject({ code: "unknown_runtime" });
      const wrong = fixture.halyard.nativeSessions("fake", { limit: 0 });
      await expect(wrong).rejects.toMatchObject({ code: "invalid_input" });
    });
  });

  describe("an answer with a schema", () => {
    test("is returned in outcome.data if it matches the schema", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send({ text: 'json {"count":3}', schema });
      expect(await turn.outcome).toMatchObject({ status: "completed", data: { count: 3 } });
    });

    test("is requested again if it does not match, and the usage of all attempts is added up", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send({ text: 'json {"count":"3"} | sure! | {"count":3}', schema });
      const events = await collect(turn);
      expect(
        events.filter((event) => event.type === "system" && event.subtype === "retry"),
      ).toEqual([
        expect.objectContaining({ text: expect.stringContaining("#/count") }),
        expect.objectContaining({ text: expect.stringContaining("not a JSON value") }),
      ]);
      const { data, usage, text } = await turn.outcome;
      expect({ data, text, outputTokens: usage.outputTokens }).toEqual({
        data: { count: 3 },
        text: '{"count":3}',
        outputTokens: 3,
      });
      expect(session.info).toMatchObject({ turns: 1, usage });
    });

    test("fails the turn with invalid_output after two corrections", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const { outcome } = session.send({ text: "json {} | {} | {} | {}", schema });
      expect(await outcome).toMatchObject({
        status: "failed",
        error: { code: "invalid_output", message: expect.stringContaining('property "count"') },
      });
      expect((await session.send("say fine").outcome).text).toBe("fine");
    });

    test.each([
      ["a misspelled type", { type: "objekt" }, "schema.type: objekt"],
      ["an unknown reference", { $ref: "#/$defs/none" }, "schema: Unresolved $ref"],
    ])("rejects a schema with %s", async (_, wrong, message) => {
      await using fixture = await open();
      const session = await startFake(fixture);
      expect(await session.send({ text: "json 1", schema: wrong }).accepted).toMatchObject({
        status: "failed",
        error: { code: "invalid_input", message: expect.stringContaining(message) },
      });
    });
  });
}

/** Writes a record as the fake agent does if a user runs it without Halyard. */
async function recordNatively(
  fixture: HalyardFixture,
  id: string,
  prompt: string,
  cwd = fixture.cwd,
): Promise<{ readonly accountDir: string; readonly file: string }> {
  const accountDir = join(fixture.cwd, "account");
  await mkdir(accountDir, { recursive: true });
  const file = join(accountDir, `${id}.json`);
  await writeFile(file, JSON.stringify({ id, cwd, prompts: [prompt] }));
  return { accountDir, file };
}
