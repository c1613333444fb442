import { describe, expect, test } from "vitest";
import { isReply } from "../../src/testing/replies.ts";
import { halyard, program, StartedCli } from "../cli/start-cli.ts";
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
    expect((await halyard(user, ["ps"])).stderr).toMatch(/No processes of sessions/);
  });

  test("delivers a message that is being sent", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "say first");
    await halyard(user, ["wait", id]);
    const connected = await connectTo(user);
    const session = await connected.session(id);
    session.send("say second; wait"); // not awaited
    await daemon.end("SIGTERM");

    await startFakeDaemon(user);
    const again = await connectTo(user);
    const info = await again.find(id);
    if (info?.turn === undefined) return; // the daemon never received it, which is correct too
    await halyard(user, ["send", id, "--steer", "say steered"]);
    await halyard(user, ["wait", id]);
    const log = await readLog(again, id);
    expect(faultsOf(log)).toEqual([]);
    const end = log.findLast(({ type }) => type === "completion");
    expect(end).toMatchObject({ outcome: { status: "completed" } });
  });
});
