import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { writeParrot } from "../screens/parrot.ts";
import { newDaemonUser } from "./scene.ts";

/** A user who has registered a program of their own, with a screen. */
async function newParrotUser(): Promise<User> {
  const user = await newDaemonUser();
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

test("run types to a program with a screen, and prints what that adds", async () => {
  const user = await newParrotUser();
  const args = ["run", ...flags, "--format", "quiet", "hello"];
  expect(await halyard(user, args)).toEqual({
    exitCode: 0,
    stdout: "HELLO\nand so on\n",
    stderr: "",
  });
});

test("the daemon, too, puts it into tmux by its registered delivery, and refuses another host", async () => {
  const user = await newParrotUser();
  const started = await halyard(user, ["start", ...flags, "--format", "json"]);
  const { id, host } = JSON.parse(started.stdout);
  expect([host, started.stderr]).toEqual(["tmux", ""]);
  expect(await halyard(user, ["start", ...flags, "--host", "local"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("parrot needs a screen; use tmux, not local"),
  });
  await halyard(user, ["rm", id]);
});

describe.skipIf(process.platform !== "linux")("attach, on a terminal (util-linux's script)", () => {
  test("drops into the screen of a session in tmux, which goes on when it is left", async () => {
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
    // What is typed while tmux still asks the terminal what it can do is taken for the answer.
    const typing = setInterval(() => seen.process.stdin.write(CTRL_B_D), 200);
    const { exitCode } = await seen.finished.finally(() => clearInterval(typing));
    expect(exitCode).toBe(0);
    expect((await halyard(user, ["wait", id])).stdout).toBe(`${id} idle\n`);
    await halyard(user, ["stop", id]);
  });
});
