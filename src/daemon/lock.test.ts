import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identify, ownIdentity } from "../hosts/local/process-identity.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { findHolder, takeLock } from "./lock.ts";
import type { DaemonRecord } from "./record.ts";

function recordOf(identity = ownIdentity()): DaemonRecord {
  return { identity, version: "1.0.0", startedAt: new Date().toISOString(), kind: "background" };
}

/** Somebody who held a lock and died. */
async function deadRecord(): Promise<DaemonRecord> {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(child, "spawn");
  const identity = identify(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  if (!identity) throw new Error("the child did not start");
  return recordOf(identity);
}

test("a lock is held by one, and says who that is and where it answers", async () => {
  const directory = join(await temporaryDirectory(), "daemon");
  expect(await findHolder(directory)).toBeUndefined();
  const lock = await takeLock(directory, recordOf());
  await lock.update({ ...recordOf(), socketPath: "/tmp/x", url: "http://127.0.0.1:1" });
  expect(await findHolder(directory)).toMatchObject({ socketPath: "/tmp/x" });
  await expect(takeLock(directory, recordOf())).rejects.toMatchObject({
    code: "already_running",
    message: expect.stringMatching(`pid ${process.pid} at http://127.0.0.1:1.*halyard daemon stop`),
  });
  await lock.release();
  expect(await readdir(directory)).toEqual([]);
});

test("a lock whose holder died is taken over, and so is what a power cut left of one", async () => {
  const directory = await temporaryDirectory();
  await takeLock(directory, await deadRecord());
  await writeFile(join(directory, "cut-short.claim"), "");
  expect(await findHolder(directory)).toBeUndefined();
  const lock = await takeLock(directory, recordOf());
  expect(await findHolder(directory)).toMatchObject({ identity: ownIdentity() });
  expect(await readdir(directory)).toHaveLength(2);
  await lock.release();
});

test("of many who want a lock at once, also a dead one's, exactly one gets it", async () => {
  const directory = await temporaryDirectory();
  await takeLock(directory, await deadRecord());
  const tries = Array.from({ length: 20 }, () => takeLock(directory, recordOf()));
  const settled = await Promise.allSettled(tries);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(new Set(reasons)).toEqual(new Set(["already_running"]));
});
