import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { HalyardError } from "./error.ts";
import { Watchdog, within } from "./watchdog.ts";

test("a promise that comes in time is passed on, and so is its error", async () => {
  expect(await within("start", 1000, "it", Promise.resolve(1))).toBe(1);
  await expect(within("start", 1000, "it", Promise.reject(new Error("no")))).rejects.toThrow("no");
});

test("one that does not is an error that names the phase and what took so long", async () => {
  await expect(within("ready", 10, "waiting", new Promise(() => {}))).rejects.toMatchObject({
    code: "timed_out",
    phase: "ready",
    message: "waiting took longer than 0.01 s (phase: ready)",
  });
});

test("a limit of 0 is none", async () => {
  expect(await within("start", 0, "it", sleep(20, "late"))).toBe("late");
});

test("each sign of life begins the wait anew, and silence ends it", async () => {
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

test("one that is stopped says nothing", async () => {
  let said = false;
  const watchdog = new Watchdog(() => {
    said = true;
  });
  watchdog.watch("progress", 10, "waiting");
  watchdog.stop();
  await sleep(30);
  expect(said).toBe(false);
});
