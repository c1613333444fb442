import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identify, isSameProcess, ownIdentity } from "./process-identity.ts";

test("we know ourselves", () => {
  expect(ownIdentity()).toEqual(identify(process.pid));
  expect(isSameProcess(ownIdentity())).toBe("alive");
});

test("a process is dead when it has ended, and has no identity any more", async () => {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  const identity = identify(child.pid ?? 0);
  expect(identity && isSameProcess(identity)).toBe("alive");
  child.kill();
  await once(child, "exit");
  expect(identity && isSameProcess(identity)).toBe("dead");
  expect(identify(child.pid ?? 0)).toBeUndefined();
});

test("another process with the same pid is not the same", () => {
  expect(isSameProcess({ ...ownIdentity(), startTime: "1" })).toBe("dead");
});

test("what ran in another boot is dead", () => {
  expect(isSameProcess({ ...ownIdentity(), bootId: "another" })).toBe("dead");
});
