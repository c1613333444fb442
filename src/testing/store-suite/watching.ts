import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta } from "../sample-session.ts";

/** Tests a store's watchers. */
export function describeWatching(store: () => Store): void {
  test("notifies every watcher after a write becomes readable", async () => {
    const log = await SampleLog.create(store());
    const read = () => store().read(log.info.id, { after: 0, limit: 10 });
    const seen = [1, 2].map(async () => {
      await nextWrite(store());
      return (await read()).length;
    });
    await log.append([sampleDelta("a")]);
    expect(await Promise.all(seen)).toEqual([1, 1]);
  });

  test("stops notifying only the watcher that was stopped", async () => {
    const log = await SampleLog.create(store());
    await nextWrite(store(), () => log.append([sampleDelta("a")]));
    const calls: string[] = [];
    const stop = store().watch(() => calls.push("stopped"));
    const twin = () => calls.push("twin");
    const stopTwin = store().watch(twin);
    store().watch(twin);
    stop();
    stop();
    stopTwin();
    await nextWrite(store(), () => log.append([sampleDelta("b")]));
    expect(calls).toEqual(["twin"]);
  });

  test("notifies about created, released and removed sessions", async () => {
    let log: SampleLog | undefined;
    await nextWrite(store(), async () => {
      log = await SampleLog.create(store());
    });
    await nextWrite(store(), () => log?.writer.release());
    await nextWrite(store(), () => log && store().remove(log.info.id));
  });
}

/** Calls `write`, and resolves when the store has notified a watcher that was added before. */
async function nextWrite(store: Store, write = (): Promise<void> | undefined => undefined) {
  const received = new Promise<void>((resolve) => {
    const stop = store.watch(() => {
      stop();
      resolve();
    });
  });
  await write();
  await received;
}
