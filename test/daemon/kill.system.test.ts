import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isReply, repliesIn } from "../../src/testing/replies.ts";
import { samplePng } from "../../src/testing/sample-image.ts";
import { halyard, program, StartedCli } from "../cli/start-cli.ts";
import {
  connectTo,
  faultsOf,
  newDaemonUser,
  readLog,
  startFakeDaemon,
  startSession,
  untilEvent,
  untilSaid,
} from "./scene.ts";

const numbers = (count: number) => [...Array(count).keys()].join(" ");

describe("kill -9 of the daemon", () => {
  test.each([1, 40, 700])(
    "does not stop the agent in a turn after %i deltas, and the log has every event once",
    async (deltas) => {
      const user = await newDaemonUser();
      const daemon = await startFakeDaemon(user);
      const id = await startSession(user, "stream 2000; wait; say the end");
      const first = await connectTo(user);
      let seen = 0;
      await untilEvent(first, id, ({ type }) => type === "delta" && ++seen === deltas);
      await daemon.end("SIGKILL");

      await startFakeDaemon(user);
      const again = await connectTo(user);
      const session = await again.session(id);
      expect(session.opened).toBe("attached");
      await session.send("say steered", { delivery: "steer" }).accepted;
      await untilEvent(again, id, ({ type }) => type === "completion");
      const log = await readLog(again, id);
      expect(faultsOf(log)).toEqual([]);
      const said = repliesIn(log);
      expect(said).toEqual([numbers(2000), "the end", "steered"]);
    },
  );

  test("loses no output that the agent writes until the turn ends, even if no daemon runs", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(
      user,
      "say before; sh until [ -e go ]; do sleep 0.01; done; say after",
    );
    await untilEvent(await connectTo(user), id, ({ type }) => type === "tool_call");
    await daemon.end("SIGKILL");
    await halyard(user, ["sessions"]); // listing shows the session as detached and does not change it
    await writeFile(join(user.cwd, "go"), "");
    await untilSaid(user.home, id, '"done"');

    await startFakeDaemon(user);
    const again = await connectTo(user);
    await untilEvent(again, id, ({ type }) => type === "completion");
    const log = await readLog(again, id);
    expect(faultsOf(log)).toEqual([]);
    const said = repliesIn(log);
    expect(said).toEqual(["before", "after"]);
  });

  test("keeps queued messages in order with their images, and keeps requests open", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "ask", ["--permissions", "ask"]);
    await untilEvent(await connectTo(user), id, ({ type }) => type === "request");
    expect((await halyard(user, ["send", id, "say second"])).stdout).toMatch(/^queued/);
    const png = join(user.cwd, "dot.png");
    await writeFile(png, samplePng, "base64");
    const third = await halyard(user, ["send", id, "--image", png, "images"]);
    expect(third.stdout).toMatch(/^queued/);
    await daemon.end("SIGKILL");

    await startFakeDaemon(user);
    const listed = await halyard(user, ["requests", "--format", "json"]);
    const { requestId, sessionId } = JSON.parse(listed.stdout);
    expect(sessionId).toBe(id);
    expect((await halyard(user, ["answer", requestId, "allow"])).exitCode).toBe(0);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    const log = await readLog(await connectTo(user), id);
    expect(faultsOf(log)).toEqual([]);
    const said = repliesIn(log);
    expect(said).toEqual(["allowed", "second", expect.stringMatching(/^image\/png:[0-9a-f]{64}$/)]);
  });

  test("does not leak the keys in a session's environment to its log", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const { cwd } = user;
    const env = { SOME_API_KEY: "sk-not-for-the-log" };
    const request = { runtime: "fake", cwd, env, permissions: "allow-all" } as const;
    const { id } = await (await connectTo(user)).start(request);
    await daemon.end("SIGKILL");

    await startFakeDaemon(user);
    const again = await connectTo(user);
    const session = await again.session(id);
    expect((await session.send("echo-env SOME_API_KEY").outcome).text).not.toContain("sk-not");
    expect(JSON.stringify(await readLog(again, id))).not.toContain("sk-not-for-the-log");
  });

  test("does not leak the keys in a session's options to its log", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const docs = { command: "docs", env: { DOCS_TOKEN: "tok-not-for-the-log" } };
    const { id } = await (await connectTo(user)).start({
      runtime: "fake",
      cwd: user.cwd,
      options: { services: { docs } },
    });
    await daemon.end("SIGKILL");

    await startFakeDaemon(user);
    const again = await connectTo(user);
    const session = await again.session(id);
    const { text } = await session.send("say it is tok-not-for-the-log, as you know").outcome;
    expect(text).toBe("it is [redacted], as you know");
    expect(JSON.stringify(await readLog(again, id))).not.toContain("tok-not");
    const kept = await readFile(join(user.home, "run", id, "secrets.json"), "utf8");
    expect(kept).not.toContain("tok-not");
  });

  test("does not end the native log, which the next daemon continues", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const record = join(user.cwd, "native.jsonl");
    const request = { runtime: "fake", cwd: user.cwd, record, permissions: "allow-all" } as const;
    const session = await (await connectTo(user)).start(request);
    await session.send("say before the crash").outcome;
    await daemon.end("SIGKILL");

    await startFakeDaemon(user);
    const again = await (await connectTo(user)).session(session.id);
    await again.send("say after the crash").outcome;
    const lines = await readFile(record, "utf8");
    for (const text of ["before the crash", "after the crash"])
      expect(lines.split(text), text).toHaveLength(2);
  });

  test("does not disturb a reader, which prints each event once", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "stream 500; wait");
    const args = ["events", id, "--follow", "--format", "json"];
    const reader = new StartedCli(user, [process.execPath, program, ...args]);
    await reader.says(/"text":" 499"/);
    await daemon.end("SIGKILL");
    await startFakeDaemon(user);
    await halyard(user, ["send", id, "--steer", "say more"]);
    await halyard(user, ["wait", id]);
    await halyard(user, ["stop", id]);
    const { stdout, exitCode, stderr } = await reader.finished;
    expect([exitCode, stderr]).toEqual([0, ""]);
    const printed = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(printed).toEqual(await readLog(await connectTo(user), id));
  });

  test("fails the turn if the agent is killed too, and the session can be resumed", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const id = await startSession(user, "say before; wait");
    await untilEvent(await connectTo(user), id, isReply);
    const agents = (await halyard(user, ["ps", "--format", "json"])).stdout.trim().split("\n");
    await daemon.end("SIGKILL");
    for (const line of agents) process.kill(JSON.parse(line).pid, "SIGKILL");

    await startFakeDaemon(user);
    const again = await connectTo(user);
    expect(await again.find(id)).toMatchObject({ state: "lost", resumable: true });
    expect(faultsOf(await readLog(again, id))).toEqual([]);
    const refused = await halyard(user, ["send", id, "--no-resume", "recall"]);
    expect(refused.stderr).toContain(`Run "halyard resume ${id}"`);
    expect((await halyard(user, ["resume", id])).stdout).toMatch(/resumed/);
    const sent = await halyard(user, ["send", id, "--wait", "--format", "quiet", "recall"]);
    expect(sent.stdout).toBe("say before; wait\n");
  });
});
