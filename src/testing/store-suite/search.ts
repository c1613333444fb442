import { expect, test } from "vitest";
import type { SearchOptions, Store, StoredEvent } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta } from "../sample-session.ts";

/** Tests a store's search. */
export function describeSearch(store: () => Store): void {
  const snippets = async (query: string, options?: SearchOptions) => {
    const { hits, pending } = await store().search(query, options);
    expect(pending).toBe(0);
    return hits.map(({ snippet }) => snippet);
  };

  test("finds messages, tool inputs, tool outputs and questions, newest first", async () => {
    const log = await SampleLog.create(store(), { name: "api" });
    await log.append([said("user", "rename the harbor"), sampleDelta("harbor")]);
    await log.append([ran("grep", { paths: [{ path: "src/harbor.ts" }] }), printed("no harbor")]);
    await log.append([asked("Which harbor?"), said("assistant", "done")]);
    const { hits } = await store().search("harbor");
    const positions = (await store().readAll({ after: 0, limit: 10 })).map((at) => at.position);
    const hit = { sessionId: log.info.id, runtime: "pi", title: "api", at: log.info.updatedAt };
    expect(hits).toStrictEqual([
      {
        ...hit,
        position: positions[4],
        seq: 5,
        type: "request",
        snippet: "Which harbor?",
        marks: [at(6, 12)],
      },
      {
        ...hit,
        position: positions[3],
        seq: 4,
        type: "tool_result",
        snippet: "no harbor",
        marks: [at(3, 9)],
      },
      {
        ...hit,
        position: positions[2],
        seq: 3,
        type: "tool_call",
        tool: "grep",
        snippet: "grep src/harbor.ts",
        marks: [at(9, 15)],
      },
      {
        ...hit,
        position: positions[0],
        seq: 1,
        type: "message",
        role: "user",
        snippet: "rename the harbor",
        marks: [at(11, 17)],
      },
    ]);
  });

  test("finds only texts with all words, and with the words of a phrase in order", async () => {
    const log = await SampleLog.create(store());
    await log.append(["the key is foreign", "a Foreign  Key", "foreign", "KEY: über"].map(say));
    expect(await snippets("key foreign")).toEqual(["a Foreign Key", "the key is foreign"]);
    expect(await snippets('"foreign key"')).toEqual(["a Foreign Key"]);
    expect(await snippets('key "uber"')).toEqual(["KEY: über"]);
    expect(await snippets("keys")).toEqual([]);
  });

  test("finds file names and identifiers by their parts", async () => {
    const log = await SampleLog.create(store());
    await log.append(["edit src/stores/sqlite.ts", "src ts", "call parse_input()"].map(say));
    expect(await snippets("src/stores/sqlite.ts")).toEqual(["edit src/stores/sqlite.ts"]);
    expect(await snippets("parse_input")).toEqual(["call parse_input()"]);
    expect(await snippets("sqlite")).toEqual(["edit src/stores/sqlite.ts"]);
  });

  test("finds words in scripts without spaces between words", async () => {
    const log = await SampleLog.create(store());
    await log.append(["東京都に行く", "京都に行く"].map(say));
    expect(await snippets("東京")).toEqual(["東京都に行く"]);
    expect(await snippets("京都")).toEqual(["京都に行く", "東京都に行く"]);
  });

  test.each([
    ['"unclosed phrase'],
    ['""'],
    ["AND OR NOT NEAR"],
    ["text : x*"],
    ["(((]]}"],
    ["^a + b - c"],
    ["'; DROP TABLE words; --"],
    ["\u0000\ud800"],
    [""],
    ["🦀"],
  ])("accepts the query %j and finds nothing", async (query) => {
    const log = await SampleLog.create(store());
    await log.append([say("nothing to find")]);
    expect(await snippets(query)).toEqual([]);
  });

  test("matches query operators as words", async () => {
    const log = await SampleLog.create(store());
    await log.append([say("this OR that AND not near")]);
    expect(await snippets("NOT near")).toEqual(["this OR that AND not near"]);
  });

  test("rejects a query of more than 1,000 characters", async () => {
    await expect(store().search("x".repeat(1001))).rejects.toMatchObject({ code: "invalid_input" });
    expect(await snippets("x".repeat(1000))).toEqual([]);
  });

  test("returns pages of hits by limit and position", async () => {
    const log = await SampleLog.create(store());
    await log.append(["word 1", "word 2", "word 3"].map(say));
    const { hits } = await store().search("word", { limit: 2 });
    expect(hits.map(({ snippet }) => snippet)).toEqual(["word 3", "word 2"]);
    expect(await snippets("word", { before: hits[1]?.position })).toEqual(["word 1"]);
    expect(await snippets("word", { limit: 0 })).toEqual([]);
  });

  test("ranks hits by relevance: more occurrences, shorter texts, and messages before output", async () => {
    const log = await SampleLog.create(store());
    await log.append([
      say("word word word"),
      say(`word ${"other ".repeat(300)}`),
      printed("word"),
      say("a word"),
      say("a word again"),
    ]);
    const { hits } = await store().search("word", { order: "relevance" });
    expect(hits.map(({ snippet }) => snippet.slice(0, 14))).toEqual([
      "word word word",
      "a word",
      "a word again",
      "word",
      "word other oth",
    ]);
    const scores = hits.map(({ score = -1 }) => score);
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
    expect(scores.at(-1)).toBeGreaterThan(0);
    expect(await snippets("word", { order: "relevance", limit: 1 })).toEqual(["word word word"]);
    const { hits: newest } = await store().search("word", { order: "newest", limit: 1 });
    expect(newest).toMatchObject([{ snippet: "a word again" }]);
    expect(newest[0]).not.toHaveProperty("score");
  });

  test("selects sessions by id, runtime, directory and project", async () => {
    const one = await SampleLog.create(store(), { runtime: "codex", cwd: "/one" });
    const two = await SampleLog.create(store(), { project: "shop" });
    await one.append([say("word one")]);
    await two.append([say("word two")]);
    expect(await snippets("word", { sessions: [one.info.id] })).toEqual(["word one"]);
    expect(await snippets("word", { runtime: "codex" })).toEqual(["word one"]);
    expect(await snippets("word", { cwd: "/project" })).toEqual(["word two"]);
    expect(await snippets("word", { project: "shop" })).toEqual(["word two"]);
    expect(await snippets("word", { project: "shop", runtime: "codex" })).toEqual([]);
    expect(await snippets("word", { sessions: [] })).toEqual([]);
  });

  test("selects events by their time, to the millisecond", async () => {
    const log = await SampleLog.create(store());
    const times = [
      "2025-12-31T23:59:59.999Z",
      "2026-01-01T00:00:00.000Z",
      "2026-11-17T10:00:00.000Z",
    ];
    for (const time of times) await log.append([say(`word ${time}`)], { at: time });
    const other = await SampleLog.create(store(), { runtime: "codex" });
    // Write an old event last, as an import does.
    await other.append([say("word early")], { at: "2025-06-01T00:00:00.000Z" });
    const [first, second, third] = times.map((time) => `word ${time}`);
    expect(await snippets("word", { since: "2026-01-01T00:00:00.000Z" })).toEqual([third, second]);
    expect(await snippets("word", { until: "2026-01-01T00:00:00.000Z" })).toEqual([
      "word early",
      first,
    ]);
    const year = { since: "2026-01-01T00:00:00.001Z", until: "2026-11-17T10:00:00.001Z" };
    expect(await snippets("word", year)).toEqual([third]);
    expect(await snippets("word", { ...year, until: "2026-11-17T10:00:00.000Z" })).toEqual([]);
    const summer = { since: "2025-05-31T12:00:00.000Z", until: "2025-07-02T00:00:00.000Z" };
    expect(await snippets("word", summer)).toEqual(["word early"]);
    expect(await snippets("word", { ...summer, runtime: "pi" })).toEqual([]);
  });

  test("shortens a long text around the first match, and marks all words", async () => {
    const log = await SampleLog.create(store());
    await log.append([say(`${"before ".repeat(50)}\n\tneedle and needle ${"after ".repeat(50)}`)]);
    const [hit] = (await store().search("needle and")).hits;
    expect(hit?.snippet).toMatch(/^….{0,60}needle and needle after .*…$/);
    expect(hit?.snippet.length).toBeLessThan(170);
    expect(hit?.marks.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual([
      "needle",
      "and",
      "needle",
    ]);
  });

  test("finds the beginning and the end of a long tool output, not its middle", async () => {
    const log = await SampleLog.create(store());
    const filler = "filler ".repeat(3000);
    await log.append([printed(`alpha ${filler} middle ${filler} omega`)]);
    expect(await snippets("alpha")).toHaveLength(1);
    expect(await snippets("omega")).toHaveLength(1);
    expect(await snippets("middle")).toEqual([]);
  });

  test("finds events that are appended after a search", async () => {
    const log = await SampleLog.create(store());
    await log.append([say("early word")]);
    expect(await snippets("word")).toEqual(["early word"]);
    await log.append([say("late word")]);
    expect(await snippets("word")).toEqual(["late word", "early word"]);
  });

  test("finds nothing in a removed session", async () => {
    const log = await SampleLog.create(store());
    const other = await SampleLog.create(store());
    await log.append([say("first word")]);
    await other.append([say("second word")]);
    expect(await snippets("word")).toHaveLength(2);
    await store().remove(log.info.id);
    expect(await snippets("word")).toEqual(["second word"]);
    await other.append([say("third word")]);
    expect(await snippets("word")).toEqual(["third word", "second word"]);
  });
}

function say(text: string): StoredEvent {
  return said("assistant", text);
}

function said(role: "assistant" | "user", text: string): StoredEvent {
  return { type: "message", role, channel: "text", messageId: "m1", text };
}

function ran(name: string, input: unknown): StoredEvent {
  return { type: "tool_call", callId: "c1", name, kind: "search", input };
}

function printed(output: string): StoredEvent {
  return { type: "tool_result", callId: "c1", output, isError: false };
}

function asked(text: string): StoredEvent {
  const ids = { requestId: "req_0123456789abcdef", nativeId: "1" } as const;
  return { type: "request", ...ids, kind: "question", text, options: [], verdict: "ask" };
}

function at(start: number, end: number): { start: number; end: number } {
  return { start, end };
}
