import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newSessionId } from "../../src/errors/require-id.ts";
import type { SessionInfo } from "../../src/schema/session.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { sampleSession } from "../../src/testing/sample-session.ts";
import { halyard, type User } from "../cli/start-cli.ts";
import { connectTo, newDaemonUser, startFakeDaemon } from "./scene.ts";

/** The identity of a process that ran before the last boot. */
const gone = { pid: 1, startTime: "1", bootId: "another" };

async function storeSessions({ home, cwd }: User, state: SessionInfo["state"]): Promise<void> {
  await using store = await openSqliteStore(join(home, "halyard.db"));
  const sessions = Array.from({ length: 5_000 }, async () => {
    const info = sampleSession({ id: newSessionId(), state, cwd, runtime: "pi" });
    const writer = await store.create(info, gone);
    if (state === "stopped") await writer.release();
  });
  await Promise.all(sessions);
}

/** Returns the CPU time until the daemon responds, as a multiple of the time on an empty home. */
async function startCost(user: User): Promise<number> {
  const nobody = await newDaemonUser();
  const empty = await startFakeDaemon(nobody);
  await empty.end("SIGTERM");
  const { startMs } = await startFakeDaemon(user);
  await connectTo(user); // checks the health of the daemon when it connects
  return startMs / empty.startMs;
}

describe("a daemon with 5,000 stored sessions", () => {
  test("starts with less than twice the CPU time of an empty home if the sessions have ended", async () => {
    const user = await newDaemonUser();
    await storeSessions(user, "stopped");
    expect(await startCost(user)).toBeLessThan(2);
  });

  test("starts with less than six times the CPU time of an empty home if the sessions are lost, and marks each as lost", async () => {
    const user = await newDaemonUser();
    await storeSessions(user, "idle");
    expect(await startCost(user)).toBeLessThan(6);
    const listed = await halyard(user, ["sessions", "--format", "json", "--limit", "6000"]);
    const sessions = listed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(sessions).toHaveLength(5_000);
    for (const { state, reason } of sessions)
      expect([state, reason]).toEqual(["lost", expect.stringContaining("exited")]);
  });
});
