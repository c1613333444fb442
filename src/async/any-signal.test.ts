import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { anySignal } from "./any-signal.ts";

test("aborts the combined signal when an otherwise unreferenced timeout signal fires, even after garbage collection", async () => {
  const signal = anySignal([new AbortController().signal, AbortSignal.timeout(200)]);
  await sleep(10); // a signal that was created in this tick is not collected
  globalThis.gc?.();
  await expect.poll(() => signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("aborts the combined signal with the reason of the first aborted signal", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const signal = anySignal([one.signal, other.signal]);
  expect(signal.aborted).toBe(false);
  other.abort("other");
  expect(signal.reason).toBe("other");
  one.abort("one");
  expect(signal.reason).toBe("other");
  expect(anySignal([new AbortController().signal, one.signal]).reason).toBe("one");
});
