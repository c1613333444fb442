import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { healthOfProcess, identify, ownIdentity } from "./process-identity.ts";

test("identifies this process", () => {
  expect(ownIdentity()).toEqual(identify(process.pid));
  expect(healthOfProcess(ownIdentity())).toBe("alive");
});

test("reports an exited process as dead and returns no identity for it", async () => {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  const identity = identify(child.pid ?? 0);
  expect(identity && healthOfProcess(identity)).toBe("alive");
  child.kill();
  await once(child, "exit");
  expect(identity && healthOfProcess(identity)).toBe("dead");
  expect(identify(child.pid ?? 0)).toBeUndefined();
});

test("reports a process with the same pid and another start time as dead", () => {
  expect(healthOfProcess({ ...ownIdentity(), startTime: "1" })).toBe("dead");
});

test("reports a process from another boot as dead", () => {
  expect(healthOfProcess({ ...ownIdentity(), bootId: "another" })).toBe("dead");
});
