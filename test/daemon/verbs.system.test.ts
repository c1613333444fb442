import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { halyard } from "../cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon, startSession } from "./scene.ts";

describe("on the command line", () => {
  test("starts a session, sends messages, follows it and stops it by its name", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say hello", ["--name", "api", "-p", "allow-all"]);
    expect(id).toMatch(/^ses_[0-9a-z]{16}$/);
    expect((await halyard(user, ["wait", "api"])).stdout).toBe(`${id} idle\n`);
    const listed = await halyard(user, ["sessions"]);
    expect(listed.stdout).toMatch(new RegExp(`${id} +fake +idle .* api\\n`));
    const twice = await halyard(user, ["start", "--runtime", "fake", "--name", "api"]);
    expect([twice.exitCode, twice.stderr]).toEqual([2, expect.stringMatching(/halyard stop api/)]);
    const sent = await halyard(user, ["send", "api", "--wait", "--format", "quiet", "say two"]);
    expect([sent.exitCode, sent.stdout]).toEqual([0, "two\n"]);
    const failed = await halyard(user, ["send", id.slice(4, 10), "--wait", "fail on purpose"]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining("on purpose")]);
    const events = await halyard(user, ["events", "api", "--format", "json"]);
    const types = events.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type === "completion")).toHaveLength(3);
    expect((await halyard(user, ["stop", "api"])).stdout).toBe(`${id} stopped\n`);
    expect((await halyard(user, ["stop", "api"])).stdout).toMatch(/has already ended/);
    const late = await halyard(user, ["send", "api", "--no-resume", "say late"]);
    expect([late.exitCode, late.stderr]).toEqual([
      1,
      expect.stringMatching(/Run "halyard resume ses_\w+" to continue it/),
    ]);
    expect((await halyard(user, ["resume", "api"])).stdout).toMatch(/resumed from the agent/);
    const recalled = await halyard(user, ["send", "api", "-w", "--format", "quiet", "recall"]);
    expect(recalled.stdout).toBe("say hello\n");
    const removed = await halyard(user, ["rm", "api"]);
    expect([removed.stderr, removed.stdout]).toEqual(["", `${id} removed\n`]);
    expect((await halyard(user, ["events", "api"])).exitCode).toBe(4);
  });

  test("queues a message, steers it into the turn, or interrupts the turn with it", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "wait; say first");
    expect((await halyard(user, ["send", id, "say queued"])).stdout).toMatch(/^queued/);
    const steered = await halyard(user, ["send", id, "--steer", "say steered", "--format", "json"]);
    expect(JSON.parse(steered.stdout)).toMatchObject({ sessionId: id, status: "confirmed" });
    await halyard(user, ["wait", id]);
    await halyard(user, ["send", id, "wait"]);
    const sent = await halyard(user, ["send", id, "--interrupt", "--wait", "say now"]);
    expect(sent.stdout).toMatch(/now\n/);
    await halyard(user, ["send", id, "wait"]);
    expect((await halyard(user, ["interrupt", id])).stderr).toMatch(/^Interrupted/);
    expect((await halyard(user, ["interrupt", id])).stderr).toMatch(/no running turn to interrupt/);
    const events = await halyard(user, ["events", id, "--format", "json"]);
    const all = events.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const said = all.filter(({ role }) => role === "assistant").map(({ text }) => text);
    const asked = all.filter(({ role }) => role === "user").map(({ text }) => text);
    expect(asked).toContain("say steered");
    expect(said).toEqual(["first", "steered", "queued", "now"]);
    const ends = all.filter(({ type }) => type === "completion");
    expect(ends.map(({ outcome }) => outcome.status)).toEqual([
      "completed",
      "completed",
      "cancelled",
      "completed",
      "cancelled",
    ]);
  });

  test("lists requests with their tool calls, and answers them by id", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "tool write a.txt A; tool write b.txt B", []);
    expect((await halyard(user, ["wait", id, "--until", "request"])).exitCode).toBe(0);
    const asked = await halyard(user, ["requests"]);
    expect(asked.stdout).toMatch(new RegExp(`${id} · req_\\w+ · denied in .*a\\.txt`, "s"));
    const [requestId = ""] = /req_\w+/.exec(asked.stdout) ?? [];
    expect((await halyard(user, ["answer", requestId.slice(4, 12), "allow"])).exitCode).toBe(0);
    await halyard(user, ["wait", id, "--until", "request"]);
    const second = JSON.parse((await halyard(user, ["requests", id, "--format", "json"])).stdout);
    await halyard(user, ["answer", second.requestId, "deny", "not this one"]);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    expect(await readFile(join(user.cwd, "a.txt"), "utf8")).toBe("A");
    expect((await halyard(user, ["events", id])).stdout).toMatch(/denied: not this one/);
    const again = await halyard(user, ["answer", requestId, "allow"]);
    expect([again.exitCode, again.stderr]).toEqual([4, expect.stringMatching(/halyard requests/)]);
    expect((await halyard(user, ["requests"])).stderr).toMatch(/No open requests/);
  });

  test("answers a request by at least four characters of its id, and rejects a reply that is neither yes nor no", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const asking = ["--name", "api"];
    const id = await startSession(user, "tool write a.txt A; tool write b.txt B", asking);
    const requestOf = async () => {
      await halyard(user, ["wait", id, "--until", "request"]);
      const { stdout } = await halyard(user, ["requests", "--format", "json"]);
      const { requestId } = JSON.parse(stdout);
      return String(requestId);
    };
    const first = await requestOf();
    expect((await halyard(user, ["requests"])).stdout).toContain(`api (${id}) · ${first}`);
    for (const prefix of ["", "req_", "req", first.slice(0, 7)])
      expect(await halyard(user, ["answer", prefix, "allow"])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("at least 4 characters"),
      });
    for (const reply of ["perhaps", "yes but not here", "allow everything"])
      expect(await halyard(user, ["answer", first, ...reply.split(" ")])).toMatchObject({
        exitCode: 2,
      });
    expect((await halyard(user, ["answer", first, "no, use /tmp instead"])).exitCode).toBe(0);
    const second = await requestOf();
    expect((await halyard(user, ["answer", second.slice(0, 8), "yes"])).exitCode).toBe(0);
    await halyard(user, ["wait", id]);
    expect((await halyard(user, ["events", id])).stdout).toMatch(/denied: use \/tmp instead/);
    expect(await readdir(user.cwd)).toEqual(["b.txt"]);
  });

  test("prints the scope of an always answer, lists the answer as a rule, and revokes it by its id", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "tool write a.txt A; tool write b.txt B", []);
    await halyard(user, ["wait", id, "--until", "request"]);
    const { stdout: asked } = await halyard(user, ["requests"]);
    expect(asked).toContain(`always   # edits of unprotected files in ${user.cwd} with write`);
    const [requestId = ""] = /req_\w+/.exec(asked) ?? [];
    await halyard(user, ["answer", requestId, "always"]);
    expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    expect(await readdir(user.cwd)).toEqual(["a.txt", "b.txt"]);
    expect((await halyard(user, ["events", id])).stdout).toMatch(/allowed by rule: edits of/);

    const [rule = ""] = /rule_\w+/.exec((await halyard(user, ["rules", id])).stdout) ?? [];
    expect((await halyard(user, ["rules", id, "--revoke", "rule_nosuch"])).exitCode).toBe(2);
    const revoked = await halyard(user, ["rules", id, "--revoke", rule]);
    expect(revoked).toMatchObject({ exitCode: 0, stdout: "", stderr: "No rules.\n" });
  });

  test("answers a question by option number", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "question Shall I?");
    await halyard(user, ["wait", id, "--until", "request"]);
    const { requestId } = JSON.parse(
      (await halyard(user, ["requests", "--format", "json"])).stdout,
    );
    await halyard(user, ["answer", requestId, "allow", "2"]);
    await halyard(user, ["wait", id]);
    expect((await halyard(user, ["events", id])).stdout).toMatch(/^no$/m);
  });

  test("stops waiting after the timeout, or when the session ends", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "wait");
    const late = await halyard(user, ["wait", id, "--timeout", "0.2"]);
    expect([late.exitCode, late.stderr]).toEqual([124, expect.stringMatching(/is still running/)]);
    const done = halyard(user, ["wait", id, "--until", "ended", "--format", "json"]);
    await halyard(user, ["stop", id]);
    expect(JSON.parse((await done).stdout)).toMatchObject({ id, state: "stopped" });
    const never = await halyard(user, ["wait", id, "--until", "request"]);
    expect([never.exitCode, never.stderr]).toEqual([
      1,
      expect.stringMatching(/ended without a request/),
    ]);
  });

  test("lists processes with their sessions, and kills only processes of dead sessions", async () => {
    const user = await newDaemonUser();
    const daemon = await startFakeDaemon(user);
    const dead = await startSession(user, "grandchild; say left");
    const alive = await startSession(user, "wait");
    await halyard(user, ["wait", dead]);
    const list = async (command: string) =>
      (await halyard(user, [command, "--format", "json"])).stdout
        .split("\n")
        .flatMap((line) => (line ? [JSON.parse(line)] : []));
    const before = await list("ps");
    expect(before.filter(({ sessionId }) => sessionId === dead)).toHaveLength(3);
    expect(before.filter(({ sessionId }) => sessionId === alive)).toHaveLength(1);
    expect(before.some(({ isLeftOver }) => isLeftOver)).toBe(false);
    expect(await list("reap")).toEqual([]);
    await daemon.end("SIGKILL");
    for (const { pid, command, sessionId } of before)
      if (sessionId === dead && command.includes("main.mjs")) process.kill(pid, "SIGKILL");
    await startFakeDaemon(user);
    expect((await list("ps")).map(({ sessionId }) => sessionId)).toEqual([alive]);
  });
});
