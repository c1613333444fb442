import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta, sampleProcess } from "../sample-session.ts";

const everything = { after: 0, limit: 1000 };

/** Tests two stores with the same data. */
export function describeSharing(open: () => Promise<Store>, store: () => Store): void {
  let other: Store;

  beforeEach(async () => {
    other = await open();
  });
  afterEach(() => other[Symbol.asyncDispose]());

  test("reads the data that the other store has written", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a"), sampleDelta("b")]);
    expect(await other.read(log.info.id, everything)).toEqual(
      await store().read(log.info.id, everything),
    );
    expect(await other.find(log.info.id)).toEqual(await store().find(log.info.id));
    expect(await other.readAll(everything)).toHaveLength(2);
  });

  test("lets both stores write their own sessions concurrently, with common positions", async () => {
    const logs = await Promise.all([SampleLog.create(store()), SampleLog.create(other)]);
    await Promise.all(
      logs.map(async (log) => {
        for (let round = 0; round < 20; round++)
          await log.append([sampleDelta("a"), sampleDelta("b")]);
      }),
    );
    const all = await store().readAll(everything);
    const positions = all.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((one, two) => one - two));
    expect(all).toHaveLength(80);
    expect(await other.readAll(everything)).toEqual(all);
  });

  test("grants one of two claims from different stores, and rejects writes from the former owner", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    const claims = [store(), other].map((each, index) =>
      each.claim(log.info.id, sampleProcess(index + 2), sampleProcess(1)),
    );
    const results = await Promise.allSettled(claims);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(log.append([sampleDelta("stale")])).rejects.toMatchObject({
      code: "session_owned",
    });
    expect(await store().read(log.info.id, everything)).toHaveLength(1);
  });

  test("notifies watchers about writes by the other store", async () => {
    const log = await SampleLog.create(store());
    let received = () => {};
    const stop = other.watch(() => received());
    for (let seq = 1; seq <= 20; seq++) {
      const observed = new Promise<void>((resolve) => {
        received = resolve;
      });
      await log.append([sampleDelta("a")]);
      await observed;
      expect(await other.read(log.info.id, { after: seq - 1, limit: 10 })).toHaveLength(1);
    }
    stop();
  });

  test("does not return a session that the other store has removed", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await other.remove(log.info.id);
    expect(await store().find(log.info.id)).toBeUndefined();
    await expect(log.append([sampleDelta("b")])).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  test("stays open when the other store is closed", async () => {
    const log = await SampleLog.create(store());
    await other[Symbol.asyncDispose]();
    await log.append([sampleDelta("a")]);
    other = await open();
    expect(await other.read(log.info.id, everything)).toHaveLength(1);
  });
}
