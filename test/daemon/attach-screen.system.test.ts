import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { writeParrot } from "../screens/parrot.ts";
import { isAlive } from "../tmux/scene.ts";
import { newDaemonUser } from "./scene.ts";

/** Creates a user who has registered a terminal program. */
async function newParrotUser(env: Readonly<Record<string, string>> = {}): Promise<User> {
  const user = await newDaemonUser(env);
  const { HOME = "" } = user.env;
  const bin = await writeParrot(HOME);
  const entry = { bin, ready: "prompt", ready_prompt_prefix: ">", delivery: "tmux" };
  await mkdir(join(HOME, ".gastown"));
  const registry = JSON.stringify({ runtimes: { parrot: entry } });
  await writeFile(join(HOME, ".gastown", "runtimes.json"), registry);
  return user;
}

const CTRL_B_D = "\u0002d";

const flags = ["--runtime", "parrot", "--permissions", "allow-all"];

test("run types the prompt into a terminal program and prints the new text, even if HALYARD_API_KEY is set", async () => {
  const user = await newParrotUser({ HALYARD_API_KEY: "sk-merely-set" });
  const args = ["run", ...flags, "--format", "quiet", "hello"];
  expect(await halyard(user, args)).toEqual({
    exitCode: 0,
    stdout: "HELLO\nand so on\n",
    stderr: "",
  });
});

test("send, stop and interrupt reach a run in tmux from another console", async () => {
  const user = await newParrotUser();
  const start = async () => {
    const args = ["run", "--host", "tmux", ...flags, "until go"];
    const cli = new StartedCli(user, [process.execPath, program, ...args]);
    cli.process.stdin.end();
    await cli.says(/ses_\w{16}/);
    const id = /ses_\w{16}/.exec(cli.stdout)?.[0] ?? "";
    await vi.waitFor(async () => {
      const { stdout } = await halyard(user, ["events", id, "--format", "json"]);
      expect(stdout).toContain('"turn_started"');
    }, 30_000);
    return { cli, id };
  };
  const interrupted = await start();
  const { stderr } = await halyard(user, ["interrupt", interrupted.id]);
  expect(stderr).toMatch(/^Interrupted/);
  expect((await interrupted.cli.finished).exitCode).toBe(130);
  const stopped = await start();
  expect((await halyard(user, ["stop", stopped.id])).stdout).toBe(`${stopped.id} stopped\n`);
  expect((await stopped.cli.finished).exitCode).toBe(130);
  const finished = await start();
  const sent = await halyard(user, ["send", finished.id, "second"]);
  expect(sent).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^queued/), stderr: "" });
  await writeFile(join(user.cwd, "go"), "");
  expect(await finished.cli.finished).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/UNTIL GO[\s\S]*completed[\s\S]*SECOND[\s\S]*completed/),
  });
});

test("the daemon uses tmux for a runtime with delivery: tmux, and rejects another host", async () => {
  const user = await newParrotUser();
  const started = await halyard(user, ["start", ...flags, "--format", "json"]);
  const { id, host } = JSON.parse(started.stdout);
  expect([host, started.stderr]).toEqual(["tmux", ""]);
  expect(await halyard(user, ["start", ...flags, "--host", "local"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("parrot needs a screen, which the host local does not have"),
  });
  await halyard(user, ["rm", id]);
});

test("kill -9 of the daemon does not end an idle terminal program, which the next daemon continues", async () => {
  const user = await newParrotUser();
  const { stdout } = await halyard(user, ["start", ...flags, "hello"]);
  const id = stdout.trim();
  expect(await halyard(user, ["wait", id])).toMatchObject({ exitCode: 0 });
  const pidOf = async () => {
    const { stdout: processes } = await halyard(user, ["ps", "--format", "json"]);
    return JSON.parse(processes).pid;
  };
  const pid = await pidOf();
  const status = await halyard(user, ["daemon", "status", "--format", "json"]);
  const daemon = JSON.parse(status.stdout).pid;
  process.kill(daemon, "SIGKILL");
  await vi.waitFor(() => expect(isAlive(daemon)).toBe(false), 20_000);

  const sent = await halyard(user, ["send", id, "--wait", "--format", "quiet", "again"]);
  expect(sent).toEqual({ exitCode: 0, stdout: "AGAIN\nand so on\n", stderr: "" });
  expect(await pidOf()).toBe(pid);
  const { stdout: log } = await halyard(user, ["events", id, "--format", "json"]);
  const events = log.trim().split("\n");
  expect(events.filter((line) => line.includes('"session_stopped"'))).toEqual([]);
  expect(events.filter((line) => line.includes('"type":"completion"'))).toHaveLength(2);
  await halyard(user, ["rm", id]);
});

describe.skipIf(process.platform !== "linux")("attach, on a console (util-linux's script)", () => {
  test("opens a session's tmux screen, and the session keeps running after tmux is detached", async () => {
    const user = await newParrotUser();
    const { stdout } = await halyard(user, ["start", ...flags, "hello"]);
    const id = /ses_\w+/.exec(stdout)?.[0] ?? "";
    await halyard(user, ["wait", id]);
    const command = [process.execPath, program, "attach", id].map((word) => `'${word}'`).join(" ");
    const seen = new StartedCli({ ...user, env: { ...user.env, TERM: "xterm" } }, [
      "script",
      ...["-q", "-e", "-f", "-c", command, "/dev/null"],
    ]);
    await seen.says(/Parrot 1\.0[\s\S]*HELLO/);
    // Typed repeatedly, because tmux first queries the capabilities of the terminal and would interpret typed text as
    // the response.
    const typing = setInterval(() => seen.process.stdin.write(CTRL_B_D), 200);
    const { exitCode } = await seen.finished.finally(() => clearInterval(typing));
    expect(exitCode).toBe(0);
    expect((await halyard(user, ["wait", id])).stdout).toBe(`${id} idle\n`);
    await halyard(user, ["stop", id]);
  });
});
