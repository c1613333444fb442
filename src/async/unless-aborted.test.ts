import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { unlessAborted } from "./unless-aborted.ts";

test("settles like the promise and removes its listener from the signal", async () => {
  const { signal } = new AbortController();
  for (let time = 0; time < 3; time++)
    expect(await unlessAborted(Promise.resolve(time), signal)).toBe(time);
  await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("rejects with the signal's reason if the signal is aborted before or during the wait", async () => {
  const controller = new AbortController();
  const waiting = unlessAborted(new Promise(() => {}), controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  const late = unlessAborted(Promise.reject(new Error("ignored")), controller.signal);
  await expect(late).rejects.toThrow("enough");
});
