import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { smallAgent } from "../../../test/acp/small-agent.ts";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, startInTerminal } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

const notified = (text: string) => new RegExp(`\u001b\\]9;api ${text}.*\u0007\u0007`);

describe.skipIf(!existsSync("/usr/bin/script"))("on a console", () => {
  test("attach notifies about a new request and the end of the turn, but not about old events", async () => {
    const user = await newDaemonUser({ TERM: "xterm" });
    await serveFakeDaemon(user);
    const start = ["start", "--runtime", "fake", "--name", "api", "-p", "ask"];
    expect((await runWarm(user, [...start, "say old"])).exitCode).toBe(0);
    await runWarm(user, ["wait", "api"]);
    const cli = startInTerminal(user, ["attach", "api", "--notify", "osc9"]);
    await cli.says(/old/);
    expect(cli.stdout).not.toContain("\u001b]9;");
    await runWarm(user, ["send", "api", "sh echo hi"]);
    await cli.says(notified("needs an answer: .+"));
    await cli.says(/lways any "echo" command/); // a line typed before the question is not an answer
    cli.process.stdin.write("y\r");
    await cli.says(notified("is done: "));
    cli.process.stdin.write("\u0004");
    expect((await cli.finished).exitCode).toBe(0);
  });

  test.each([
    ["osc9", "\u001b\\]9;.* is done: Hello\\.\u0007\u0007"],
    ["osc777", "\u001b\\]777;notify;.* is done;Hello\\.\u0007\u0007"],
    ["bell", "\u0007"],
  ])("run notifies about the end of the turn with %s", async (mode, written) => {
    const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
    onTestFinished(() => model.close());
    const user = await newAgentUser(model, { TERM: "xterm" });
    const cli = startInTerminal(user, ["run", ...user.agent, "--notify", mode, "Greet"]);
    const { exitCode, stdout } = await cli.finished;
    expect(stdout).toMatch(new RegExp(written));
    expect(exitCode).toBe(0);
    for (const other of ["9;", "777;"])
      if (!written.includes(`]${other}`)) expect(stdout).not.toContain(`\u001b]${other}`);
  });
});

test("run writes no notification if its output is not a console, and rejects an unknown --notify mode", async () => {
  const user = await newUser({ HALYARD_NOTIFY: "osc9" });
  const command = smallAgent.map((part) => `'${part}'`).join(" ");
  const args = ["run", "-r", "acp", "--command", command, "!meta"];
  const { stdout, exitCode } = await runWarm(user, args);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("{}");
  expect(stdout).not.toContain("\u001b]");
  expect(await runWarm(user, ["run", "--notify", "loud", "x"])).toMatchObject({ exitCode: 2 });
});
