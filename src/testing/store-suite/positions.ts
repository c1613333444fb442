import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta } from "../sample-session.ts";

const everything = { after: 0, limit: 1_000 };

/** Tests that the events of all sessions have consecutive positions. */
export function describePositions(store: () => Store): void {
  const positions = async () => (await store().readAll(everything)).map(({ position }) => position);

  test("numbers all sessions' events without gaps", async () => {
    const logs = await Promise.all([1, 2, 3].map(() => SampleLog.create(store())));
    await Promise.all(logs.map((log) => log.append([sampleDelta("a"), sampleDelta("b")])));
    expect(await positions()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await store().lastPosition()).toBe(6);
  });

  test("keeps other sessions' positions when one session is removed", async () => {
    const removed = await SampleLog.create(store());
    await removed.append([sampleDelta("a"), sampleDelta("b")]);
    const log = await SampleLog.create(store());
    await log.append([sampleDelta("c")]);
    await store().remove(removed.info.id);
    expect(await positions()).toEqual([3]);
    await log.append([sampleDelta("d")]);
    expect(await positions()).toEqual([3, 4]);
  });
}
