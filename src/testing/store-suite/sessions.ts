import { expect, test } from "vitest";
import type { SessionFilter, Store } from "../../core/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta, sampleProcess, sampleSession } from "../sample-session.ts";

export function describeSessions(store: () => Store): void {
  test("remembers a session as it was created [s2.risk.session-storage]", async () => {
    const info = sampleSession({ labels: { team: "docs" }, model: { id: "m" } });
    await store().create(info, sampleProcess(7));
    expect(await store().find(info.id)).toStrictEqual({
      info,
      owner: sampleProcess(7),
      cursor: 0,
      turnCursor: 0,
    });
  });

  test("does not create a session twice", async () => {
    const log = await SampleLog.create(store(), { name: "first" });
    const again = store().create({ ...log.info, name: "second" }, sampleProcess(2));
    await expect(again).rejects.toMatchObject({ code: "internal" });
    await log.append([sampleDelta("a")]);
    expect((await store().find(log.info.id))?.info.name).toBe("first");
  });

  test("remembers the session as it is after its last block", async () => {
    const log = await SampleLog.create(store());
    const running = { ...log.info, state: "running", turns: 2, lastSeq: 1 } as const;
    await log.append([sampleDelta("a")], { info: running, cursor: 120, turnCursor: 100 });
    await log.append([sampleDelta("b")], { cursor: 150 });
    await log.append([sampleDelta("c")]);
    expect(await store().find(log.info.id)).toStrictEqual({
      info: { ...running, lastSeq: 3 },
      owner: sampleProcess(1),
      cursor: 150,
      turnCursor: 100,
    });
  });

  test("a block without events moves the session and its cursor, and not the log", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await log.append([], { info: { ...log.info, state: "waiting" }, cursor: 50 });
    await log.append([sampleDelta("b")]);
    expect(await store().find(log.info.id)).toMatchObject({ info: { lastSeq: 2 }, cursor: 50 });
    const events = await store().read(log.info.id, { after: 0, limit: 10 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test("lists sessions newest first, by state, runtime and directory", async () => {
    const create = (name: string, changes: Parameters<typeof sampleSession>[0]) =>
      SampleLog.create(store(), { name, ...changes });
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

  test("forgets a session with all its events, and no other", async () => {
    const log = await SampleLog.create(store());
    const other = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await other.append([sampleDelta("b")]);
    await store().remove(log.info.id);
    await store().remove(log.info.id);

    expect(await store().find(log.info.id)).toBeUndefined();
    expect((await store().list()).map(({ info }) => info.id)).toEqual([other.info.id]);
    expect(await store().readAll({ after: 0, limit: 10 })).toMatchObject([
      { position: 2, event: { sessionId: other.info.id } },
    ]);
    await expect(log.append([sampleDelta("c")])).rejects.toMatchObject({
      code: "session_not_found",
    });
  });
}
