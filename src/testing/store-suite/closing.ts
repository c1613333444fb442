import { expect, test } from "vitest";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../sample-log.ts";
import { sampleDelta, sampleProcess, sampleSession } from "../sample-session.ts";

/** Tests closing a store. */
export function describeClosing(store: () => Store): void {
  test("waits for pending writes when it is closed, and can be closed repeatedly", async () => {
    const log = await SampleLog.create(store());
    const appended = log.append([sampleDelta("a")]);
    await Promise.all([store()[Symbol.asyncDispose](), store()[Symbol.asyncDispose](), appended]);
    await store()[Symbol.asyncDispose]();
  });

  test("rejects all calls after it is closed", async () => {
    const log = await SampleLog.create(store());
    await store()[Symbol.asyncDispose]();
    const { id } = log.info;
    const uses: (() => Promise<unknown>)[] = [
      () => store().create(sampleSession(), sampleProcess(1)),
      () => store().claim(id, sampleProcess(1), null),
      () => store().find(id),
      () => store().list(),
      () => store().read(id, { after: 0, limit: 1 }),
      () => store().readAll({ after: 0, limit: 1 }),
      () => store().readBefore(id, { before: 1, limit: 1 }),
      () => store().lastPosition(),
      () => store().remove(id),
      () => log.append([sampleDelta("a")]),
      () => log.writer.release(),
    ];
    for (const use of uses) await expect(use()).rejects.toMatchObject({ code: "store_failed" });
    expect(() => store().watch(() => {})).toThrow();
  });

  test("wakes a watcher when it is closed", async () => {
    const { info } = await SampleLog.create(store());
    const woken = new Promise<void>((resolve) => {
      store().watch(resolve);
    });
    await store()[Symbol.asyncDispose]();
    await woken;
    await expect(store().find(info.id)).rejects.toMatchObject({ code: "store_failed" });
  });
}
