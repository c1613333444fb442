import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../core/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta, sampleProcess } from "../sample-session.ts";

const everything = { after: 0, limit: 1000 };

export function describeSharing(open: () => Promise<Store>, store: () => Store): void {
  let other: Store;

  beforeEach(async () => {
    other = await open();
  });
  afterEach(() => other[Symbol.asyncDispose]());

  test("what one has written the other reads", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a"), sampleDelta("b")]);
    expect(await other.read(log.info.id, everything)).toEqual(
      await store().read(log.info.id, everything),
    );
    expect(await other.find(log.info.id)).toEqual(await store().find(log.info.id));
    expect(await other.readAll(everything)).toHaveLength(2);
  });

  test("both may write at once, each its own sessions, and count positions together", async () => {
    const logs = await Promise.all([SampleLog.create(store()), SampleLog.create(other)]);
    await Promise.all(
      logs.map(async (log) => {
        for (let round = 0; round < 20; round++)
          await log.append([sampleDelta("a"), sampleDelta("b")]);
      }),
    );
    const all = await store().readAll(everything);
    expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
    expect(all).toHaveLength(80);
    expect(await other.readAll(everything)).toEqual(all);
  });

  test("a session has one writer at a time among them", async () => {
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

  test("who watches one hears of what is written through the other", async () => {
    const log = await SampleLog.create(store());
    let told = () => {};
    const stop = other.watch(() => told());
    for (let seq = 1; seq <= 20; seq++) {
      const heard = new Promise<void>((resolve) => {
        told = resolve;
      });
      await log.append([sampleDelta("a")]);
      await heard;
      expect(await other.read(log.info.id, { after: seq - 1, limit: 10 })).toHaveLength(1);
    }
    stop();
  });

  test("what one has removed is gone for the other", async () => {
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("a")]);
    await other.remove(log.info.id);
    expect(await store().find(log.info.id)).toBeUndefined();
    await expect(log.append([sampleDelta("b")])).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  test("closing one leaves the other as it was", async () => {
    const log = await SampleLog.create(store());
    await other[Symbol.asyncDispose]();
    await log.append([sampleDelta("a")]);
    other = await open();
    expect(await other.read(log.info.id, everything)).toHaveLength(1);
  });
}
