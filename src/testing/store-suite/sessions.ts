import { expect, test } from "vitest";
import type { Block, SessionFilter, Store } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta, sampleProcess, sampleSession } from "../sample-session.ts";

/** Tests a store's sessions. */
export function describeSessions(store: () => Store): void {
  test("returns a session as it was created [s2.risk.session-storage]", async () => {
    const info = sampleSession({ labels: { team: "docs" }, model: { id: "m" } });
    await store().create(info, sampleProcess(7));
    expect(await store().find(info.id)).toStrictEqual({
      info,
      owner: sampleProcess(7),
      cursor: 0,
      turnCursor: 0,
    });
  });

  test("rejects a second session with the same id", async () => {
    const log = await SampleLog.create(store(), { name: "first" });
    const again = store().create({ ...log.info, name: "second" }, sampleProcess(2));
    await expect(again).rejects.toMatchObject({ code: "invalid_input" });
    await log.append([sampleDelta("a")]);
    expect((await store().find(log.info.id))?.info.name).toBe("first");
  });

  test("returns the session as of its last block", async () => {
    const log = await SampleLog.create(store(), { state: "idle" });
    const running = { ...log.info, state: "running", turns: 2, lastSeq: 1 } as const;
    await log.append([sampleDelta("a")], { info: running, cursor: 120, turnCursor: 100 });
    await log.append([sampleDelta("b")], { cursor: 150 });
    await log.append([sampleDelta("c")], { cursor: undefined });
    expect(await store().find(log.info.id)).toStrictEqual({
      info: { ...running, updatedAt: log.info.updatedAt, lastSeq: 3 },
      owner: sampleProcess(1),
      cursor: 150,
      turnCursor: 100,
    });
  });

  test("updates the sequence number and cursor with each block", async () => {
    const log = await SampleLog.create(store());
    const changes: Partial<Block>[] = [
      { cursor: 10 },
      { cursor: 20 },
      { cursor: 20, info: { ...log.info, lastSeq: 3, name: "named" } },
      { cursor: 30 },
      { cursor: undefined, at: "2026-01-01T00:00:02.000Z" },
      { cursor: 40, turnCursor: 35 },
      { cursor: 50, at: "2026-01-01T00:00:03.000Z" },
    ];
    const numbers = { cursor: 0, turnCursor: 0 };
    for (const change of changes) {
      await log.append([sampleDelta("x")], change);
      numbers.cursor = change.cursor ?? numbers.cursor;
      numbers.turnCursor = change.turnCursor ?? numbers.turnCursor;
      const record = { info: log.info, owner: sampleProcess(1), ...numbers };
      expect(await store().find(log.info.id)).toStrictEqual(record);
      expect(await store().list({ states: ["running"] })).toStrictEqual([record]);
    }
    const { name, ...unnamed } = log.info;
    const { updatedAt: at } = unnamed;
    await log.append([sampleDelta("y")], { at, info: { ...unnamed, lastSeq: 8 } });
    expect((await store().find(log.info.id))?.info).toStrictEqual(log.info);
    const heir = await store().claim(log.info.id, sampleProcess(2), sampleProcess(1));
    await new SampleLog(heir, log.info).append([sampleDelta("z")]);
    expect(await store().find(log.info.id)).toMatchObject({ info: { lastSeq: 9 }, cursor: 90 });
  });

  test("accepts a block again after its write failed", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    const before = log.info;
    const named = { ...before, name: "named", lastSeq: 2 };
    const gap = log.append([sampleDelta("b")], { info: named, firstSeq: 5 });
    await expect(gap).rejects.toMatchObject({ code: "internal" });
    log.info = before;
    await log.append([sampleDelta("b")], { info: named });
    expect((await store().find(named.id))?.info).toStrictEqual(named);
  });

  test("updates the session and its cursor with a block without events", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await log.append([sampleDelta("b")]);
    await log.append([], { cursor: 50 });
    expect(await store().find(log.info.id)).toMatchObject({ info: { lastSeq: 2 }, cursor: 50 });
    await log.append([], { info: { ...log.info, state: "waiting" }, cursor: 60 });
    await log.append([sampleDelta("c")], { cursor: undefined });
    expect(await store().find(log.info.id)).toMatchObject({ info: { lastSeq: 3 }, cursor: 60 });
    const events = await store().read(log.info.id, { after: 0, limit: 10 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("lists sessions newest first, and by state, runtime and directory", async () => {
    const create = (name: string, changes: Parameters<typeof sampleSession>[0]) =>
      SampleLog.create(store(), { name, state: "idle", ...changes });
    await create("old", { createdAt: "2026-01-01T00:00:00.000Z", state: "stopped" });
    await create("new", { createdAt: "2026-01-03T00:00:00.000Z", runtime: "codex" });
    await create("middle", { createdAt: "2026-01-02T00:00:00.000Z", cwd: "/other" });
    const twin = await create("twin", { createdAt: "2026-01-02T00:00:00.000Z" });
    await twin.append([sampleDelta("a")], { info: { ...twin.info, state: "running", lastSeq: 1 } });

    const list = async (filter?: SessionFilter) =>
      (await store().list(filter)).map(({ info }) => info.name);
    expect(await list()).toEqual(["new", "twin", "middle", "old"]);
    expect(await list({ limit: 2 })).toEqual(["new", "twin"]);
    expect(await list({ runtime: "pi" })).toEqual(["twin", "middle", "old"]);
    expect(await list({ cwd: "/other" })).toEqual(["middle"]);
    expect(await list({ states: ["running", "stopped"] })).toEqual(["twin", "old"]);
    expect(await list({ states: ["running", "idle"], runtime: "pi", limit: 1 })).toEqual(["twin"]);
    expect(await list({ states: [] })).toEqual([]);
    expect(await list({ runtime: "none" })).toEqual([]);
  });

  test("lists sessions without activity since a given time, in pages", async () => {
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    for (const day of [1, 2, 3])
      await SampleLog.create(store(), { name: `${day}`, createdAt: at(day), updatedAt: at(day) });
    const busy = await SampleLog.create(store(), { name: "busy", createdAt: at(1) });
    await busy.append([sampleDelta("a")], { at: at(3) });
    await busy.append([sampleDelta("b")], { at: at(4) });
    const list = async (filter: SessionFilter) =>
      (await store().list(filter)).map(({ info }) => info.name);
    expect(await list({ updatedBefore: at(3) })).toEqual(["2", "1"]);
    expect(await list({ updatedBefore: at(4) })).toEqual(["3", "2", "1"]);
    expect(await list({ updatedBefore: at(5) })).toEqual(["3", "2", "busy", "1"]);
    expect(await list({ updatedBefore: at(5), offset: 1, limit: 2 })).toEqual(["2", "busy"]);
    expect(await list({ offset: 4 })).toEqual([]);
  });

  test("lists a project's sessions and a session's children", async () => {
    const parent = await SampleLog.create(store(), { project: "p", name: "parent" });
    const below = { parent: parent.info.id, depth: 1 };
    await SampleLog.create(store(), { project: "p", name: "child", ...below });
    await SampleLog.create(store(), { project: "q", name: "stranger" });
    const names = async (filter: SessionFilter) =>
      (await store().list(filter)).map(({ info }) => info.name).sort();
    expect(await names({ project: "p" })).toEqual(["child", "parent"]);
    expect(await names({ parent: parent.info.id })).toEqual(["child"]);
    expect(await names({ project: "q", parent: parent.info.id })).toEqual([]);
  });

  test("finds a session by the runtime's session id", async () => {
    const log = await SampleLog.create(store(), { name: "known" });
    await SampleLog.create(store(), { name: "other", runtimeSessionId: "native-2" });
    const info = { ...log.info, runtimeSessionId: "native-1", lastSeq: 1 };
    await log.append([sampleDelta("a")], { info });
    const names = async (filter: SessionFilter) =>
      (await store().list(filter)).map(({ info }) => info.name);
    expect(await names({ runtimeSessionId: "native-1" })).toEqual(["known"]);
    expect(await names({ runtimeSessionId: "native-1", runtime: "codex" })).toEqual([]);
    expect(await names({ runtimeSessionId: "native-3" })).toEqual([]);
  });

  test("finds sessions by labels with any characters", async () => {
    const strange = { "a.b": "1", 'say "hi"': "$.x", "": "empty" };
    await SampleLog.create(store(), { name: "plain", labels: { team: "docs" } });
    await SampleLog.create(store(), { name: "both", labels: { team: "docs", ...strange } });
    await SampleLog.create(store(), { name: "none", labels: { a: "docs" } });
    const names = async (labels: Record<string, string>) =>
      (await store().list({ labels })).map(({ info }) => info.name).sort();
    expect(await names({})).toEqual(["both", "none", "plain"]);
    expect(await names({ team: "docs" })).toEqual(["both", "plain"]);
    expect(await names({ team: "docs", "a.b": "1" })).toEqual(["both"]);
    expect(await names(strange)).toEqual(["both"]);
    expect(await names({ team: "docs", "a.b": "2" })).toEqual([]);
    expect(await names({ team: "" })).toEqual([]);
  });

  test("removes a session with many events, and keeps other sessions' events and positions", async () => {
    const log = await SampleLog.create(store());
    const other = await SampleLog.create(store());
    for (let count = 0; count < 300; count++) await log.append([sampleDelta("a")]);
    await other.append([sampleDelta("b")]);
    const kept = (await store().readAll({ after: 0, limit: 1_000 })).at(-1);
    const removing = store().remove(log.info.id);
    const created = SampleLog.create(store());
    await removing;
    const third = await created;
    await third.append([sampleDelta("c")]);
    expect(await store().read(log.info.id, { after: 0, limit: 10 })).toEqual([]);
    expect(await store().read(third.info.id, { after: 0, limit: 10 })).toHaveLength(1);
    expect(await store().readAll({ after: 0, limit: 10 })).toMatchObject([
      kept,
      { event: { sessionId: third.info.id } },
    ]);
  });

  test("removes only the given session, with its events", async () => {
    const log = await SampleLog.create(store());
    const other = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await other.append([sampleDelta("b")]);
    await store().remove(log.info.id);
    await store().remove(log.info.id);

    expect(await store().find(log.info.id)).toBeUndefined();
    expect((await store().list()).map(({ info }) => info.id)).toEqual([other.info.id]);
    expect(await store().readAll({ after: 0, limit: 10 })).toMatchObject([
      { event: { sessionId: other.info.id } },
    ]);
    await expect(log.append([sampleDelta("c")])).rejects.toMatchObject({
      code: "session_not_found",
    });
  });
}
