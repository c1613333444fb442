import { expect, test } from "vitest";
import type { Store, StoredEvent } from "../../contracts/store.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta } from "../sample-session.ts";

const everything = { after: 0, limit: 1_000_000 };

/** Tests a store's log. */
export function describeLog(store: () => Store): void {
  test("returns events unchanged, with their sequence number and time", async () => {
    const log = await SampleLog.create(store(), { runtime: "codex" });
    const call: StoredEvent = {
      type: "tool_call",
      callId: "c1",
      name: "shell",
      kind: "execute",
      input: { command: ["ls", "-l"], nested: { empty: {}, nothing: null } },
    };
    const raw = { type: "native", list: [1, 2.5, -0.1, 1e300] };
    await log.append([sampleDelta("one"), { ...call, raw }], {
      at: "2026-02-03T04:05:06.789Z",
      turnId: "trn_0000000000000001",
    });
    await log.append([{ type: "system", subtype: "status" }], { at: "2026-02-03T04:05:07.000Z" });

    const session = { sessionId: log.info.id, runtime: "codex" };
    const first = { ...session, at: "2026-02-03T04:05:06.789Z", turnId: "trn_0000000000000001" };
    expect(await store().read(log.info.id, everything)).toStrictEqual([
      { seq: 1, ...first, ...sampleDelta("one") },
      { seq: 2, ...first, ...call, raw },
      { seq: 3, ...session, at: "2026-02-03T04:05:07.000Z", type: "system", subtype: "status" },
    ]);
  });

  test("reads from any sequence number up to a limit, across blocks", async () => {
    const log = await SampleLog.create(store());
    for (const block of [["a", "b"], ["c", "d", "e"], ["f"]])
      await log.append(block.map(sampleDelta));
    for (let after = 0; after <= 7; after++) {
      for (let limit = 0; limit <= 7; limit++) {
        const events = await store().read(log.info.id, { after, limit });
        expect(textsOf(events)).toBe("abcdef".slice(after, after + limit));
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => after + 1 + index));
      }
    }
  });

  test("reads backward from any sequence number up to a limit, across blocks", async () => {
    const log = await SampleLog.create(store());
    const { id } = log.info;
    expect(await store().readBefore(id, { before: 1, limit: 5 })).toEqual([]);
    for (const block of [["a", "b"], ["c", "d", "e"], ["f"]])
      await log.append(block.map(sampleDelta));
    await (await SampleLog.create(store())).append([sampleDelta("of another session")]);
    for (let before = 0; before <= 9; before++) {
      for (let limit = 0; limit <= 7; limit++) {
        const events = await store().readBefore(id, { before, limit });
        const end = Math.min(6, Math.max(0, before - 1));
        expect(textsOf(events)).toBe("abcdef".slice(Math.max(0, end - limit), end));
        const after = end - events.length;
        expect(events).toEqual(await store().read(id, { after, limit: events.length }));
      }
    }
  });

  test("returns a last position that separates existing events from later ones", async () => {
    expect(await store().lastPosition()).toBe(0);
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a"), sampleDelta("b")]);
    const last = await store().lastPosition();
    await store().remove(log.info.id);
    expect(await store().lastPosition()).toBeGreaterThanOrEqual(last);
    const other = await SampleLog.create(store());
    await other.append([sampleDelta("c")]);
    expect(await store().readAll({ after: last, limit: 10 })).toMatchObject([
      { event: { text: "c" } },
    ]);
  });

  test("reads all sessions' events in write order, from any position", async () => {
    const one = await SampleLog.create(store());
    const two = await SampleLog.create(store(), { runtime: "claude" });
    await one.append([sampleDelta("a"), sampleDelta("b")]);
    await two.append([sampleDelta("c")]);
    await one.append([sampleDelta("d"), sampleDelta("e"), sampleDelta("f")]);

    const all = await store().readAll(everything);
    expect(all.map(({ event }) => [event.sessionId, event.seq])).toEqual([
      [one.info.id, 1],
      [one.info.id, 2],
      [two.info.id, 1],
      [one.info.id, 3],
      [one.info.id, 4],
      [one.info.id, 5],
    ]);
    expect(all[2]?.event).toStrictEqual((await store().read(two.info.id, everything))[0]);
    const starts = [0, ...all.map(({ position }) => position)];
    for (const [index, after] of starts.entries()) {
      for (let limit = 0; limit <= 7; limit++)
        expect(await store().readAll({ after, limit })).toEqual(all.slice(index, index + limit));
    }
  });

  test("never reuses a position, even after a session is removed", async () => {
    const removed = await SampleLog.create(store());
    await removed.append([sampleDelta("a"), sampleDelta("b")]);
    const before = (await store().readAll(everything)).at(-1)?.position ?? 0;
    await store().remove(removed.info.id);
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("c")]);
    const [found, ...others] = await store().readAll(everything);
    expect(found?.position).toBeGreaterThan(before);
    expect(others).toEqual([]);
  });

  test("keeps the order of concurrent appends to several sessions", async () => {
    const logs = await Promise.all([1, 2, 3].map(() => SampleLog.create(store())));
    const appends: Promise<void>[] = [];
    for (let round = 0; round < 50; round++) {
      for (const log of logs) appends.push(log.append([sampleDelta(`${round} `)]));
    }
    await Promise.all(appends);
    const expected = Array.from({ length: 50 }, (_, round) => `${round} `).join("");
    for (const { info } of logs)
      expect(textsOf(await store().read(info.id, everything))).toBe(expected);
    const positions = (await store().readAll(everything)).map(({ position }) => position);
    expect(positions).toHaveLength(150);
    expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
  });

  test("returns an event once its append has resolved", async () => {
    const log = await SampleLog.create(store());
    for (let seq = 1; seq <= 20; seq++) {
      await log.append([sampleDelta("x")]);
      expect(await store().read(log.info.id, { after: seq - 1, limit: 10 })).toHaveLength(1);
      expect((await store().find(log.info.id))?.info.lastSeq).toBe(seq);
    }
  });

  test("preserves every character of texts, names and paths", async () => {
    const text = '\u0000 \u2028\u2029 \ud800 \udc00 \ufffd é 漢字 👩‍👩‍👧 \r\n\t"\\ </script>';
    const log = await SampleLog.create(store(), { name: text, cwd: "/プロジェクト/ü" });
    await log.append([sampleDelta(text)]);
    expect(textsOf(await store().read(log.info.id, everything))).toBe(text);
    expect(await store().find(log.info.id)).toMatchObject({
      info: { name: text, cwd: "/プロジェクト/ü" },
    });
  });

  test("accepts 40,000 events and a large event in one block", async () => {
    const log = await SampleLog.create(store());
    const big = "é".repeat(4 * 1024 * 1024);
    const many = Array.from({ length: 40_000 }, (_, index) => `${index} of many, and so on; `);
    await log.append([sampleDelta(big), ...many.map(sampleDelta), sampleDelta("end")]);

    const events = await store().read(log.info.id, everything);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(textsOf(events) === `${big}${many.join("")}end`).toBe(true);
    const newest = await store().readBefore(log.info.id, { before: 1e9, limit: 2 });
    expect(textsOf(newest)).toBe(`${many.at(-1)}end`);
    const some = await store().read(log.info.id, { after: 20_000, limit: 3 });
    expect(textsOf(some)).toBe(many.slice(19_999, 20_002).join(""));
    const all = await store().readAll(everything);
    const after = all.at(-2)?.position ?? 0;
    expect(await store().readAll({ after, limit: 5 })).toEqual(all.slice(-1));
  });

  test("is not affected by later changes to objects that were passed in or returned", async () => {
    const log = await SampleLog.create(store());
    const input = { n: 1 };
    await log.append([{ type: "tool_call", callId: "c", name: "n", kind: "read", input }]);
    input.n = 2;
    for (const read of await store().read(log.info.id, everything)) read.seq = 99;
    expect(await store().read(log.info.id, everything)).toMatchObject([
      { seq: 1, input: { n: 1 } },
    ]);
  });

  test("returns no events for a removed session", async () => {
    const { info } = await SampleLog.create(store());
    await store().remove(info.id);
    expect(await store().read(info.id, everything)).toEqual([]);
    expect(await store().readBefore(info.id, { before: 9, limit: 9 })).toEqual([]);
    expect(await store().find(info.id)).toBeUndefined();
  });
}

function textsOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === "delta" ? event.text : "?")).join("");
}
