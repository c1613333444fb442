import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { connectTo, newDaemonUser, startFakeDaemon, startSession, untilEvent } from "./scene.ts";

/** Runs `halyard attach` on a pseudo-terminal, which `script` creates. Its standard input is the typed text. */
function attach(user: User, id: string): StartedCli {
  const command = [process.execPath, program, "attach", id].map((word) => `'${word}'`).join(" ");
  return new StartedCli({ ...user, env: { ...user.env, TERM: "xterm" } }, [
    "script",
    ...["-q", "-e", "-f", "-c", command, "/dev/null"],
  ]);
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

describe.skipIf(process.platform !== "linux")("attach, on a console (util-linux's script)", () => {
  test("shows the running turn, accepts messages, and leaves the session running on exit", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say working on it; wait");
    const seen = attach(user, id);
    await seen.says(/working on it/);
    seen.process.stdin.write("/steer say steered\r");
    await seen.says(/steered[\s\S]*✓ completed/);
    seen.process.stdin.write("say typed\r");
    await seen.says(/say typed[\s\S]*✓ completed/);
    seen.process.stdin.write(CTRL_D);
    const { exitCode, stdout } = await seen.finished;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/The session continues\. To return: halyard attach/);
    expect((await halyard(user, ["wait", id])).stdout).toBe(`${id} idle\n`);
  });

  test("prompts for the answer to the agent's request", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "tool write a.txt A; ask", []);
    const seen = attach(user, id);
    await seen.says(/a\.txt[\s\S]*allow\? /);
    seen.process.stdin.write("y\r");
    await seen.says(/launch[\s\S]*allow\? /);
    seen.process.stdin.write("n not today\r");
    await seen.says(/denied: not today[\s\S]*✓ completed/);
    seen.process.stdin.write(CTRL_D);
    expect((await seen.finished).exitCode).toBe(0);
  });

  test("interrupts the turn on Ctrl-C, and exits when the session ends", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say at it; wait");
    const seen = attach(user, id);
    await seen.says(/at it/);
    seen.process.stdin.write(CTRL_C);
    const connected = await connectTo(user);
    await untilEvent(connected, id, ({ type }) => type === "completion");
    await seen.says(/■ cancelled/);
    seen.process.stdin.write(CTRL_C);
    await seen.says(/Nothing to interrupt/);
    await halyard(user, ["stop", id]);
    expect((await seen.finished).stdout).toMatch(/The session has ended/);
  });

  test("does not treat text typed before a prompt as an approval, and restores the unfinished message", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say at it; wait; tool write a.txt A", []);
    const seen = attach(user, id);
    await seen.says(/at it/);
    seen.process.stdin.write("y");
    await seen.says(/› .*y/);
    await halyard(user, ["send", id, "--steer", "say steered"]);
    await seen.says(/a\.txt[\s\S]*allow\? /);
    seen.process.stdin.write("\r");
    await seen.says(/Unclear reply, nothing was allowed[\s\S]*allow\? /);
    seen.process.stdin.write("no, use b.txt\r");
    await seen.says(/denied: use b\.txt[\s\S]*✓ completed[\s\S]*› .*y/);
    expect(await readdir(user.cwd)).not.toContain("a.txt");
    seen.process.stdin.write(`${CTRL_C}\b/exit\r`);
    expect((await seen.finished).exitCode).toBe(0);
  });

  test("does not treat text typed before it starts as an approval of an open request", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "tool write a.txt A", []);
    await untilEvent(await connectTo(user), id, ({ type }) => type === "request");
    const seen = attach(user, id);
    seen.process.stdin.write("y\ryes\ra\r");
    await seen.says(/a\.txt[\s\S]*allow\? /);
    seen.process.stdin.write("\r");
    await seen.says(/Unclear reply, nothing was allowed[\s\S]*allow\? /);
    seen.process.stdin.write("no, use b.txt\r");
    await seen.says(/denied: use b\.txt[\s\S]*✓ completed/);
    expect(seen.stdout).not.toContain("✓ allowed");
    expect(await readdir(user.cwd)).not.toContain("a.txt");
    seen.process.stdin.write("/exit\r");
    expect((await seen.finished).exitCode).toBe(0);
  });

  test("shows the last turn, runs slash commands, and does not send an unknown command", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "say the first");
    await halyard(user, ["wait", id]);
    await halyard(user, ["send", id, "--wait", "say the last"]);
    const seen = attach(user, id);
    await seen.says(/say the last[\s\S]*✓ completed/);
    expect(seen.stdout).not.toContain("the first");
    seen.process.stdin.write("/help\r");
    await seen.says(/\/interrupt \[MESSAGE\]/);
    seen.process.stdin.write("/halp\r");
    await seen.says(/Unknown command \/halp/);
    seen.process.stdin.write("//halp\r");
    await seen.says(/› \/halp/);
    seen.process.stdin.write("/exit\r");
    expect((await seen.finished).exitCode).toBe(0);
    const { turns } = JSON.parse((await halyard(user, ["wait", id, "--format", "json"])).stdout);
    expect(turns).toBe(3);
  });

  test("changes the model with /model, and shows the last turn's changes with /diff", async () => {
    const user = await newDaemonUser();
    await startFakeDaemon(user);
    const id = await startSession(user, "tool write a.txt Alpha");
    await halyard(user, ["wait", id]);
    const seen = attach(user, id);
    await seen.says(/✓ completed/);
    seen.process.stdin.write("/diff\r");
    await seen.says(/diff --git a\/a\.txt b\/a\.txt[\s\S]*\+Alpha/);
    seen.process.stdin.write("/model\r");
    await seen.says(/Model: default\. Type \/model NAME to change it\./);
    seen.process.stdin.write("/model fake-small\r");
    await seen.says(/Model: fake-small, starting with the next message\./);
    seen.process.stdin.write("flag model\r");
    await seen.says(/flag model[\s\S]*fake-small[\s\S]*✓ completed/);
    seen.process.stdin.write("/diff\r");
    await seen.says(/No changes in this turn\./);
    seen.process.stdin.write("/exit\r");
    expect((await seen.finished).exitCode).toBe(0);
    const { stdout } = await halyard(user, ["sessions", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ id, model: { id: "fake-small" } });
  });

  test("fails without a console, and names the command to use instead", async () => {
    const user = await newDaemonUser();
    const { exitCode, stderr } = await halyard(user, ["attach", "api"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/halyard events api --follow/)]);
  });
});
