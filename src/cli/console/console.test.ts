import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { newUser, SCRIPT, type StartedCli, startInTerminal } from "../../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

describe.skipIf(!existsSync(SCRIPT))("on a console", () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
    const shell = (command: string) => call("shell", { command });
    const echo = (word: string) => shell(`echo ${word}`);
    // A paragraph is shown when the next one begins.
    const slowly = { text: "word\n\n".repeat(12), chunkSize: 6, chunkDelayMs: 150 };
    const work = "until [ -e go ]; do sleep 0.05; done";
    model = await startScriptedModel([
      { when: "second message", replies: [{ text: "Second." }] },
      { when: "slowly", replies: [{ ...slowly, ...echo("one") }, { text: "Slow." }] },
      {
        when: "edit it",
        replies: [
          call("write", { path: "note.txt", content: "one\n" }),
          call("edit", { path: "note.txt", from: "one", to: "two" }),
          shell(work),
        ],
      },
      { when: "busy", replies: [shell(work)] },
      { when: "work", replies: [call("bash", { command: work })] },
      { replies: [echo("one"), echo("two"), { text: "Both." }] },
    ]);
  });
  afterAll(() => model.close());

  async function start(...args: string[]): Promise<StartedCli> {
    const user = await newAgentUser(model, { TERM: "xterm" });
    return startInTerminal(user, ["run", ...user.agent, ...args]);
  }

  async function startPi(...args: string[]): Promise<StartedCli> {
    const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
    const user = await newUser({ HALYARD_API_KEY: apiKey, TERM: "xterm" });
    return startInTerminal(user, ["run", "--base-url", baseUrl, "--api", api, "-m", id, ...args]);
  }

  test("asks for permission once, and allows the program's later commands after the reply `always`", async () => {
    const cli = await start("go");
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("a\r");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(0);
    expect(stdout.match(/ allow\? /g)).toHaveLength(1);
    expect(stdout).toContain("\u001b[32m✓ completed\u001b[39m");
    expect(stdout).toContain("\u001b[2m  two\u001b[22m");
  });

  const modes = [[[]], [["--plain"]]];

  test.each(modes)(
    "shows the reason for a denial and asks about the next request, with the options %j",
    async (mode) => {
      const cli = await start(...mode, "go");
      await cli.says(/lways any "echo" command/);
      cli.process.stdin.write("n not today\r");
      await cli.says(/denied: not today[\s\S]*lways any "echo" command/);
      cli.process.stdin.write("y\r");
      expect(await cli.finished).toMatchObject({ exitCode: 0 });
    },
  );

  test.each([
    ["a whole answer", "y\r"],
    ["many answers", "y\ry\ryes\ra\r"],
    ["an answer without its Enter", "y"],
  ])("typing ahead %s allows nothing", async (_, early) => {
    const cli = await start("--plain", "go");
    cli.process.stdin.write(early); // nothing reads standard input until the first request
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("\r");
    await cli.says(/Unclear reply, nothing was allowed[\s\S]*lways any "echo" command/);
    cli.process.stdin.write("n\r");
    await cli.says(/✗ denied[\s\S]*lways any "echo" command/);
    expect(cli.stdout).not.toContain("✓ allowed");
    cli.process.stdin.write("n\r");
    const { exitCode, stdout } = await cli.finished;
    expect([exitCode, stdout.match(/✗ denied/g)?.length]).toEqual([0, 2]);
  });

  test.each(modes)(
    "allows nothing and asks again after an unclear reply, with the options %j",
    async (mode) => {
      const cli = await start(...mode, "go");
      await cli.says(/lways any "echo" command/);
      cli.process.stdin.write("yes, but not here\r");
      await cli.says(/Unclear reply, nothing was allowed[\s\S]*lways any "echo" command/);
      cli.process.stdin.write("no, use /tmp instead\r");
      await cli.says(/denied: use \/tmp instead[\s\S]*lways any "echo" command/);
      cli.process.stdin.write("e\r");
      await cli.says(
        /tool: shell \(execute\)[\s\S]*halyard answer req_\w+ yes[\s\S]*lways any "echo" command/,
      );
      cli.process.stdin.write("y\r");
      expect(await cli.finished).toMatchObject({ exitCode: 0 });
    },
  );

  test.each(modes)(
    "cancels the turn after Ctrl-C at a question, with the options %j",
    async (mode) => {
      const cli = await start(...mode, "go");
      await cli.says(/lways any "echo" command/);
      cli.process.stdin.write("\u0003");
      const { exitCode, stdout } = await cli.finished;
      expect(exitCode).toBe(130);
      expect(stdout).toContain("■ cancelled");
    },
  );

  test("queues a line as a message if it is typed while the agent works, and allows nothing", async () => {
    const cli = await start("slowly");
    await cli.says(/word/);
    cli.process.stdin.write("y\r");
    await cli.says(/Queued until the running turn ends[\s\S]*lways any "echo" command/);
    expect(cli.stdout).not.toContain("✓ allowed");
    cli.process.stdin.write("\u0004");
    const { exitCode, stdout } = await cli.finished;
    expect([exitCode, stdout.includes("✓ allowed")]).toEqual([130, false]);
  });

  test("queues, steers and interrupts with lines typed while the agent works, and shows their turns", async () => {
    const cli = await startPi("-p", "allow-all", "work");
    await cli.says(/until \[ -e go/);
    cli.process.stdin.write("second message\r");
    await cli.says(/Queued until the running turn ends/);
    cli.process.stdin.write("/steer more words\r");
    await cli.says(/\[1m› more words/);
    cli.process.stdin.write("\u001a"); // Ctrl-Z, which fails because Pi runs inside the process
    await cli.says(/pi runs inside this process and cannot be handed over/);
    cli.process.stdin.write("/interrupt\r");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/■ cancelled[\s\S]*Second\.[\s\S]*✓ completed/);
  });

  test("shows the turn's file changes for /diff", async () => {
    const cli = await start("-p", "allow-all", "'edit it'");
    await cli.says(/edit[\s\S]*shell/);
    cli.process.stdin.write("/diff\r");
    await cli.says(/diff --git a\/note\.txt[\s\S]*\+two/);
    cli.process.stdin.write("/exit\r");
    expect(await cli.finished).toMatchObject({ exitCode: 130 });
  });

  test("shows the running tool with the elapsed time, even if standard input is not a console", async () => {
    for (const [flags, frame] of [
      [[], "[◐◓◑◒]"],
      [["<", "/dev/null"], "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]"],
    ] as const) {
      const cli = await start("-p", "allow-all", "busy", ...flags);
      const shown = new RegExp(`${frame}\\S* shell · (\\d+) s`);
      await cli.says(shown);
      const [, seconds] = shown.exec(cli.stdout) ?? [];
      await cli.says(new RegExp(`shell · (?!${seconds} s)\\d+ s`));
      cli.process.stdin.write("\u0003");
      expect(await cli.finished).toMatchObject({ exitCode: 130 });
    }
  });

  test("does not end the run while a message is being typed", async () => {
    const cli = await start("slowly", "-p", "deny");
    await cli.says(/word/);
    cli.process.stdin.write("second mess");
    await cli.says(/The turn has ended. Enter sends the message/);
    cli.process.stdin.write("age\r");
    await cli.says(/Second\./);
    expect(await cli.finished).toMatchObject({ exitCode: 0 });
  });
});
