import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/schema/id.ts";
import { repliesIn } from "../../src/testing/replies.ts";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { fillDiskOf, freeDiskOf } from "./hardship.ts";
import {
  connectTo,
  type FakeDaemon,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  startSession,
  untilEvent,
  untilSaid,
} from "./scene.ts";

const numbers = [...Array(2000).keys()].join(" ");

/** Starts a turn whose agent waits for a file, then fills the disk for the daemon. */
async function startOnFullDisk(): Promise<{ user: User; daemon: FakeDaemon; id: SessionId }> {
  const user = await newDaemonUser();
  const daemon = await startFakeDaemon(user);
  const prompt = "say before; sh until [ -e go ]; do sleep 0.01; done; stream 2000; say after";
  const id = await startSession(user, prompt);
  await untilEvent(await connectTo(user), id, ({ type }) => type === "tool_call");
  await fillDiskOf(daemon.process);
  return { user, daemon, id };
}

/** Lets the agent finish while the daemon cannot write to the log. */
async function finishUnread({ home, cwd }: User, id: SessionId): Promise<void> {
  await writeFile(join(cwd, "go"), "");
  await untilSaid(home, id, '"done"');
}

async function expectWhole(user: User, id: SessionId): Promise<void> {
  const connected = await connectTo(user);
  await untilEvent(connected, id, ({ type }) => type === "completion");
  const log = await readLog(connected, id);
  expect(faultsOf(log)).toEqual([]);
  const said = repliesIn(log);
  expect(said).toEqual(["before", numbers, "after"]);
  const sent = await halyard(user, ["send", id, "--wait", "--format", "quiet", "say later"]);
  expect(sent).toEqual({ exitCode: 0, stdout: "later\n", stderr: "" });
  const database = new DatabaseSync(join(user.home, "halyard.db"));
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
}

const full = [1, expect.stringMatching(/No space left.*[Ff]ree some.*store_full/)];

describe.skipIf(process.platform !== "linux")("a full disk (by util-linux's prlimit)", () => {
  test("causes the daemon to reject requests with store_full, and loses no output of the agent", async () => {
    const { user, daemon, id } = await startOnFullDisk();
    const start = ["start", "--runtime", "fake", "say hello"];
    for (const args of [["send", id, "say no"], start, ["send", id, "--steer", "say no"]]) {
      const { exitCode, stderr } = await halyard(user, args);
      expect([exitCode, stderr]).toEqual(full);
    }
    await finishUnread(user, id);
    const listed = await halyard(user, ["sessions", "--format", "json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ id, state: "running" });
    const stopped = await halyard(user, ["send", id, "say no"]);
    expect([stopped.exitCode, stopped.stderr]).toEqual(full);
    await freeDiskOf(daemon.process);
    await expectWhole(user, id);
  });

  test("loses nothing after kill -9 of the daemon: the next daemon appends the missing events", async () => {
    const { user, daemon, id } = await startOnFullDisk();
    await finishUnread(user, id);
    await daemon.end("SIGKILL");
    await startFakeDaemon(user);
    await expectWhole(user, id);
  });

  test("does not prevent the daemon from stopping, and the next daemon continues the session", async () => {
    const { user, daemon, id } = await startOnFullDisk();
    await finishUnread(user, id);
    await daemon.end("SIGTERM");
    expect(daemon.process.exitCode).toBe(0);
    await startFakeDaemon(user);
    await expectWhole(user, id);
  });

  test("prevents the start of a daemon, with an error that states why and what to do", async () => {
    const user = await newDaemonUser();
    const command = [process.execPath, program, "stop", "--all"];
    const cli = new StartedCli(user, ["prlimit", "--fsize=1", ...command]);
    const { exitCode, stderr } = await cli.finished;
    const reason = /Cannot start a daemon.*Free some space.*store_full/;
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });

  test("does not keep an agent alive after a stop, and the stop is recorded when space is available again", async () => {
    const { user, daemon, id } = await startOnFullDisk();
    const { exitCode, stderr } = await halyard(user, ["stop", id]);
    expect([exitCode, stderr]).toEqual(full);
    expect((await halyard(user, ["ps"])).stderr).toMatch(/No session has a process/);
    await freeDiskOf(daemon.process);
    const connected = await connectTo(user);
    const end = await untilEvent(connected, id, ({ type }) => type === "completion");
    expect(end).toMatchObject({ outcome: { status: "cancelled", text: "before" } });
    expect(faultsOf(await readLog(connected, id))).toEqual([]);
    expect((await halyard(user, ["resume", id])).stdout).toMatch(/resumed/);
  });
});
