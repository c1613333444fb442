import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identify, ownIdentity } from "../hosts/local/process-identity.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { acquireLock, findHolder } from "./lock.ts";
import type { DaemonRecord } from "./record.ts";

function recordOf(identity = ownIdentity()): DaemonRecord {
  return { identity, version: "1.0.0", startedAt: new Date().toISOString(), kind: "background" };
}

/** Returns the record of a process that has exited. */
async function deadRecord(): Promise<DaemonRecord> {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(child, "spawn");
  const identity = identify(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  if (!identity) throw new Error("the child did not start");
  return recordOf(identity);
}

test("grants a lock to one process and reports its pid and URL to the others", async () => {
  const directory = join(await temporaryDirectory(), "daemon");
  expect(await findHolder(directory)).toBeUndefined();
  const lock = await acquireLock(directory, recordOf());
  await lock.update({ ...recordOf(), socketPath: "/tmp/x", url: "http://127.0.0.1:1" });
  expect(await findHolder(directory)).toMatchObject({ socketPath: "/tmp/x" });
  await expect(acquireLock(directory, recordOf())).rejects.toMatchObject({
    code: "already_running",
    message: expect.stringMatching(`pid ${process.pid} at http://127.0.0.1:1.*halyard daemon stop`),
  });
  await lock.release();
  expect(await readdir(directory)).toEqual([]);
});

test("acquires the lock of a dead process, and removes the dead claim and an incomplete claim", async () => {
  const directory = await temporaryDirectory();
  await acquireLock(directory, await deadRecord());
  await writeFile(join(directory, "cut-short.claim"), "");
  expect(await findHolder(directory)).toBeUndefined();
  const lock = await acquireLock(directory, recordOf());
  expect(await findHolder(directory)).toMatchObject({ identity: ownIdentity() });
  expect(await readdir(directory)).toHaveLength(2);
  await lock.release();
});

test("grants a lock to exactly one of 20 concurrent attempts after the previous holder has died", async () => {
  const directory = await temporaryDirectory();
  await acquireLock(directory, await deadRecord());
  const tries = Array.from({ length: 20 }, () => acquireLock(directory, recordOf()));
  const settled = await Promise.allSettled(tries);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(new Set(reasons)).toEqual(new Set(["already_running"]));
});
