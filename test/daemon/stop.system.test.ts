import { chown } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/schema/id.ts";
import { isReply } from "../../src/testing/replies.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { halyard, program, StartedCli } from "../cli/start-cli.ts";
import { startFakeEngine } from "../containers/fake-engine.ts";
import {
  connectTo,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  startSession,
  untilEvent,
} from "./scene.ts";

describe("a daemon that receives a stop request", () => {
  test("detaches from its turns, which keep running, and the next daemon continues them without a gap", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "say before; wait; stream 300");
    await untilEvent(await connectTo(user), id, isReply);
    const args = ["events", id, "--follow", "--format", "json"];
    const reader = new StartedCli(user, [process.execPath, program, ...args]);
    await reader.says(/"text":"before"/);
    const began = performance.now();
    await daemon.end("SIGTERM");
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(daemon.process.exitCode).toBe(0);

    const looked = await halyard(user, ["sessions", "--format", "json"]);
    expect(JSON.parse(looked.stdout)).toMatchObject({ id, state: "detached" });
    await startFakeDaemon(user);
    await halyard(user, ["send", id, "--steer", "say steered"]);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    await halyard(user, ["stop", id]);
    const log = await readLog(await connectTo(user), id);
    expect(faultsOf(log)).toEqual([]);
    const { stdout } = await reader.finished;
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(log);
  });

  test("stops a session whose agent cannot run without it, and records why", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const { stdout } = await halyard(user, ["start", "--runtime", "mortal", "say hello; wait"]);
    const id = stdout.trim();
    await halyard(user, ["wait", id, "--until", "request", "--timeout", "0.2"]);
    await daemon.end("SIGTERM");
    const looked = await halyard(user, ["sessions", "--format", "json"]);
    expect(JSON.parse(looked.stdout)).toMatchObject({
      state: "stopped",
      reason: expect.stringContaining("mortal cannot run without it"),
    });
    expect((await halyard(user, ["events", id])).stdout).toMatch(/cancelled/);
    expect((await halyard(user, ["ps"])).stderr).toMatch(/No session has a process/);
  });

  test("either delivers a message that is being sent, or never receives it", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "say first");
    await halyard(user, ["wait", id]);
    const connected = await connectTo(user);
    const session = await connected.session(id);
    session.send("say second; wait"); // not awaited, because the daemon stops during the delivery
    await daemon.end("SIGTERM");

    await startFakeDaemon(user);
    const again = await connectTo(user);
    const info = await again.find(id);
    if (info?.turn === undefined) return; // the daemon never received the message, which is also correct
    await halyard(user, ["send", id, "--steer", "say steered"]);
    await halyard(user, ["wait", id]);
    const log = await readLog(again, id);
    expect(faultsOf(log)).toEqual([]);
    const end = log.findLast(({ type }) => type === "completion");
    expect(end).toMatchObject({ outcome: { status: "completed" } });
  });
});

test("halyard stop reports a session whose engine does not respond, and stops the others", async () => {
  const directory = await temporaryDirectory();
  const engine = await startFakeEngine(join(directory, "engine.sock"));
  const user = await newDaemonUser({ CONTAINER_RUNTIME: "docker", DOCKER_HOST: engine.url });
  if (process.getuid?.() === 0) await chown(user.cwd, 1000, 1000);
  await startFakeDaemon(user);
  const inside = await halyard(user, [
    "start",
    "--runtime",
    "fake",
    "--host",
    "container",
    "say a",
  ]);
  const a = inside.stdout.trim();
  const b = await startSession(user, "say b");
  for (const id of [a, b]) expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
  await engine.close();

  const both = await halyard(user, ["stop", a, b]);
  expect(both).toMatchObject({ exitCode: 1, stdout: `${b} stopped\n` });
  expect(both.stderr).toContain(`${a} was not stopped: `);
  expect(both.stderr).toContain(engine.url);
  expect(both.stderr).toMatch(
    new RegExp(`1 of 2 sessions may still be running.*halyard stop ${a}" to try again\\.\n$`),
  );

  const alone = await halyard(user, ["stop", a]);
  expect(alone).toMatchObject({ stdout: "" });
  expect(alone.exitCode).not.toBe(0);
  expect(alone.stderr).toContain(engine.url);
  expect((await (await connectTo(user)).find(a as SessionId))?.state).toBe("detached"); // the session keeps running
});
