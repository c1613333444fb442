import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleBlock, sampleDelta, sampleProcess } from "../sample-session.ts";

const owned = { code: "session_owned" };

/** Tests session ownership in a store. */
export function describeOwnership(store: () => Store): void {
  test("grants a claim that names the current owner", async () => {
    const { info } = await SampleLog.create(store());
    const { pid, startTime, bootId } = sampleProcess(1);
    await store().claim(info.id, sampleProcess(2), { bootId, startTime, pid });
    expect((await store().find(info.id))?.owner).toEqual(sampleProcess(2));
  });

  test("rejects a claim that names a wrong owner", async () => {
    const { info } = await SampleLog.create(store());
    const later = { ...sampleProcess(1), startTime: "another" };
    for (const replacing of [null, sampleProcess(3), later]) {
      await expect(store().claim(info.id, sampleProcess(2), replacing)).rejects.toMatchObject(
        owned,
      );
    }
    expect((await store().find(info.id))?.owner).toEqual(sampleProcess(1));
  });

  test("grants one of two concurrent claims", async () => {
    const { info } = await SampleLog.create(store());
    const claims = [2, 3].map((pid) =>
      store().claim(info.id, sampleProcess(pid), sampleProcess(1)),
    );
    expect(await Promise.allSettled(claims)).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: owned },
    ]);
    expect((await store().find(info.id))?.owner).toEqual(sampleProcess(2));
  });

  test("rejects a claim for an unknown session", async () => {
    await expect(store().claim(newSessionId(), sampleProcess(1), null)).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  test("rejects writes from an owner after another claim, and lets the new owner continue the log", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    const after = log.info;
    const heir = new SampleLog(
      await store().claim(after.id, sampleProcess(2), sampleProcess(1)),
      after,
    );
    await expect(log.append([sampleDelta("stale")])).rejects.toMatchObject(owned);
    await heir.append([sampleDelta("b")]);
    await expect(log.append([sampleDelta("stale")])).rejects.toMatchObject(owned);
    expect(await textsOf(store(), log)).toEqual(["a", "b"]);
    expect((await store().find(log.info.id))?.info.lastSeq).toBe(2);
  });

  test("accepts writes to other sessions after the ownership of one session is lost", async () => {
    const stale = await SampleLog.create(store());
    const log = await SampleLog.create(store());
    await store().claim(stale.info.id, sampleProcess(2), sampleProcess(1));
    const results = await Promise.allSettled([
      log.append([sampleDelta("a")]),
      stale.append([sampleDelta("stale")]),
      log.append([sampleDelta("b")]),
    ]);
    expect(results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: owned },
      { status: "fulfilled" },
    ]);
    expect(await textsOf(store(), log)).toEqual(["a", "b"]);
    expect(await textsOf(store(), stale)).toEqual([]);
  });

  test("grants a claim that names no owner after a release", async () => {
    const log = await SampleLog.create(store());
    const written = log.append([sampleDelta("a")]);
    const released = log.writer.release();
    await Promise.all([written, released]);
    expect((await store().find(log.info.id))?.owner).toBeNull();
    await expect(log.append([sampleDelta("b")])).rejects.toMatchObject(owned);
    await store().claim(log.info.id, sampleProcess(2), null);
    expect((await store().find(log.info.id))?.owner).toEqual(sampleProcess(2));
  });

  test("ignores a release by a former owner", async () => {
    const { info, writer } = await SampleLog.create(store());
    await store().claim(info.id, sampleProcess(2), sampleProcess(1));
    await writer.release();
    expect((await store().find(info.id))?.owner).toEqual(sampleProcess(2));
  });

  test("rejects gaps and duplicates in the log", async () => {
    const log = await SampleLog.create(store());
    const before = log.info;
    await log.append([sampleDelta("a"), sampleDelta("b")]);
    for (const firstSeq of [1, 2, 4]) {
      const block = sampleBlock(before, [sampleDelta("x")], { firstSeq });
      await expect(log.writer.append(block)).rejects.toMatchObject({ code: "internal" });
    }
    await log.append([sampleDelta("c")]);
    expect(await textsOf(store(), log)).toEqual(["a", "b", "c"]);
  });
}

async function textsOf(store: Store, { info }: SampleLog): Promise<(string | undefined)[]> {
  const events = await store.read(info.id, { after: 0, limit: 100 });
  return events.map((event) => (event.type === "delta" ? event.text : undefined));
}
