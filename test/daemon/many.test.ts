import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newSessionId } from "../../src/core/id.ts";
import type { SessionInfo } from "../../src/schema/session.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { sampleSession } from "../../src/testing/sample-session.ts";
import { halyard, type User } from "../cli/start-cli.ts";
import { connectTo, newDaemonUser, startFakeDaemon } from "./scene.ts";

/** Of a process that was there before the machine was last started. */
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

/** Processor time until it answered, as a multiple of what that takes on an empty home. */
async function startCost(user: User): Promise<number> {
  const nobody = await newDaemonUser();
  const empty = await startFakeDaemon(nobody);
  await empty.end("SIGTERM");
  const { startMs } = await startFakeDaemon(user);
  await connectTo(user); // which asks for its health
  return startMs / empty.startMs;
}

describe("with 5,000 sessions on file, the daemon answers", () => {
  test("as soon as with none, where they have ended", async () => {
    const user = await newDaemonUser();
    await storeSessions(user, "stopped");
    expect(await startCost(user)).toBeLessThan(2);
  });

  test("soon, where they were open when the machine went down: each is lost, and says so", async () => {
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
      expect([state, reason]).toEqual(["lost", expect.stringContaining("died")]);
  });
});
