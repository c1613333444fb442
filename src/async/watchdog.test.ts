import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { HalyardError } from "../errors/error.ts";
import { Watchdog, within } from "./watchdog.ts";

test("settles like a promise that settles in time", async () => {
  expect(await within("start", 1000, "it", Promise.resolve(1))).toBe(1);
  await expect(within("start", 1000, "it", Promise.reject(new Error("no")))).rejects.toThrow("no");
});

test("rejects with the phase and the operation that timed out", async () => {
  await expect(within("ping", 10, "waiting", new Promise(() => {}))).rejects.toMatchObject({
    code: "timed_out",
    phase: "ping",
    message: "Waiting took longer than 0.01 s (phase: ping). Try again.",
  });
});

test("names the setting that contains the limit, if there is one", async () => {
  const setting = "limits.readyMs";
  const late = within("ready", 10, "waiting", new Promise(() => {}), { setting });
  const message = `Waiting took longer than 0.01 s (phase: ready). Try again, or increase ${setting}.`;
  await expect(late).rejects.toMatchObject({ message });
  const silent = new Promise<HalyardError>((resolve) => {
    new Watchdog(resolve).watch("ready", 10, "waiting", { setting });
  });
  expect(await silent).toMatchObject({ message });
});

test("does not limit the wait if the limit is 0", async () => {
  expect(await within("start", 0, "it", sleep(20, "late"))).toBe("late");
});

test("restarts the wait on each call of watch, and fires after silence", async () => {
  const fired: HalyardError[] = [];
  const watchdog = new Watchdog((error) => fired.push(error));
  watchdog.watch("first_output", 60, "waiting");
  await sleep(40);
  watchdog.watch("progress", 60, "waiting");
  await sleep(40);
  expect(fired).toEqual([]);
  await sleep(40);
  expect(fired).toMatchObject([{ code: "timed_out", phase: "progress" }]);
});

test("does not fire after it is stopped", async () => {
  let hasFired = false;
  const watchdog = new Watchdog(() => {
    hasFired = true;
  });
  watchdog.watch("progress", 10, "waiting");
  watchdog.stop();
  await sleep(30);
  expect(hasFired).toBe(false);
});
