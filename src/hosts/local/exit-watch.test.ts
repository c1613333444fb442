import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { countTimers } from "../../../test/counted-timers.ts";
import { watchForeignProcess } from "./exit-watch.ts";
import { identify } from "./process-identity.ts";

test("polls an idle foreign process rarely, and often after a check, and detects its exit", async () => {
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error("the process has no identity");
  const timers = countTimers();
  const watch = watchForeignProcess(identity);
  onTestFinished(() => watch.close());
  vi.advanceTimersByTime(10_000);
  timers();
  vi.advanceTimersByTime(60_000);
  expect(timers()).toBeLessThanOrEqual(60);
  watch.check(); // as after a write, when the program is expected to respond
  timers();
  vi.advanceTimersByTime(3_000);
  expect(timers()).toBeGreaterThanOrEqual(19);
  vi.advanceTimersByTime(60_000);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(watch.ended.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(watch.ended.aborted).toBe(true);
});
