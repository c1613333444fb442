import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isReply } from "../../src/testing/replies.ts";
import { type Finished, halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { asOrdinaryUser } from "./hardship.ts";
import { connectTo, newDaemonUser, startFakeDaemon, startSession, untilEvent } from "./scene.ts";

/** Runs `halyard` without the right of root to ignore file permissions. */
function asUser(user: User, args: readonly string[]): Promise<Finished> {
  return new StartedCli(user, [...asOrdinaryUser, process.execPath, program, ...args]).finished;
}

async function makeReadOnly({ home }: User): Promise<void> {
  await mkdir(home, { recursive: true });
  await chmod(home, 0o500);
  onTestFinished(() => chmod(home, 0o700));
}

const refused = [1, expect.stringMatching(/(EACCES|readonly).*\(store_failed\)/s)];

const isRootElsewhere = process.getuid?.() === 0 && process.platform !== "linux";

describe.skipIf(isRootElsewhere)("a home that cannot be written to", () => {
  test("prevents the start of a daemon, with an error that states why and what to do", async () => {
    const user = await newDaemonUser();
    await makeReadOnly(user);
    for (const args of [
      ["stop", "--all"],
      ["start", "--runtime", "pi", "hello"],
      ["serve", "--port", "0"],
    ]) {
      const { exitCode, stderr } = await asUser(user, args);
      expect([exitCode, stderr]).toEqual(refused);
      expect(stderr).toMatch(/Cannot start a daemon.*HALYARD_HOME/);
    }
    expect((await asUser(user, ["sessions"])).stderr).toMatch(/Cannot open or write.*store_failed/);
    expect(await readdir(user.home)).toEqual([]);
  });

  test("can be read, and keeps its sessions until it is writable again", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user, { by: asOrdinaryUser });
    const id = await startSession(user, "say hello");
    await halyard(user, ["stop", id]);
    const received = await halyard(user, ["events", id]);
    await daemon.end("SIGTERM");
    await makeReadOnly(user);
    const files = (await readdir(user.home)).filter((name) => name.startsWith("halyard.db"));
    for (const name of files) await chmod(join(user.home, name), 0o400);
    expect(await asUser(user, ["events", id])).toEqual(received);
    for (const command of ["resume", "rm"]) {
      const { exitCode, stderr } = await asUser(user, [command, id]);
      expect([exitCode, stderr]).toEqual(refused);
    }
    await chmod(user.home, 0o700);
    for (const name of files) await chmod(join(user.home, name), 0o600);
    expect(await halyard(user, ["events", id])).toEqual(received);
  });

  test("prevents new sessions while a daemon runs, but running sessions continue", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user, { by: asOrdinaryUser });
    const id = await startSession(user, "say before; wait");
    const connected = await connectTo(user);
    await untilEvent(connected, id, isReply);
    await chmod(join(user.home, "run"), 0o500);
    onTestFinished(() => chmod(join(user.home, "run"), 0o700));
    const started = await halyard(user, ["start", "--runtime", "fake", "say hello"]);
    expect([started.exitCode, started.stderr]).toEqual(refused);
    await halyard(user, ["send", id, "--steer", "say after"]);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    const states = (await connected.sessions()).map(({ state }) => state);
    expect(states).toEqual(["failed", "idle"]);
  });
});
