import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newUser, SCRIPT, type StartedCli, startInTerminal } from "../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";

describe.skipIf(!existsSync(SCRIPT))("on a terminal", () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    const echo = (word: string) => ({
      toolCalls: [{ name: "bash", input: { command: `echo ${word}` } }],
    });
    model = await startScriptedModel([{ replies: [echo("one"), echo("two"), { text: "Both." }] }]);
  });
  afterAll(() => model.close());

  async function start(): Promise<StartedCli> {
    const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
    const user = await newUser({ HALYARD_API_KEY: apiKey, TERM: "xterm" });
    return startInTerminal(user, ["run", "--base-url", baseUrl, "--api", api, "-m", id, "go"]);
  }

  test("a request is asked in place and answered by a letter; always means not to ask again", async () => {
    const cli = await start();
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("a\r");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(0);
    expect(stdout.match(/lways any "echo" command/g)).toHaveLength(1);
    expect(stdout).toContain("\u001b[32m✓ completed\u001b[39m");
    expect(stdout).toContain("\u001b[2m  two\u001b[22m");
  });

  test("a denial with words reaches the agent", async () => {
    const cli = await start();
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("n not today\r");
    await cli.says(/denied: not today[\s\S]*lways any "echo" command/);
    cli.process.stdin.write("y\r");
    expect(await cli.finished).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["a whole answer", "y\r"],
    ["many answers", "y\ry\ryes\ra\r"],
    ["an answer without its Enter", "y"],
  ])("typing ahead %s approves nothing", async (_, early) => {
    const cli = await start();
    cli.process.stdin.write(early); // nothing reads it until the first request
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("\r");
    await cli.says(/Not clear, nothing was allowed[\s\S]*lways any "echo" command/);
    cli.process.stdin.write("n\r");
    await cli.says(/✗ denied[\s\S]*lways any "echo" command/);
    expect(cli.stdout).not.toContain("✓ allowed");
    cli.process.stdin.write("n\r");
    const { exitCode, stdout } = await cli.finished;
    expect([exitCode, stdout.match(/✗ denied/g)?.length]).toEqual([0, 2]);
  });

  test("a reply that is not clear allows nothing and is asked for again", async () => {
    const cli = await start();
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("yes, but not here\r");
    await cli.says(/Not clear, nothing was allowed[\s\S]*lways any "echo" command/);
    cli.process.stdin.write("no, use /tmp instead\r");
    await cli.says(/denied: use \/tmp instead[\s\S]*lways any "echo" command/);
    cli.process.stdin.write("e\r");
    await cli.says(
      /tool: bash \(execute\)[\s\S]*halyard answer req_\w+ yes[\s\S]*lways any "echo" command/,
    );
    cli.process.stdin.write("y\r");
    expect(await cli.finished).toMatchObject({ exitCode: 0 });
  });

  test("Ctrl-C at the question cancels the turn", async () => {
    const cli = await start();
    await cli.says(/lways any "echo" command/);
    cli.process.stdin.write("\u0003");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toContain("■ cancelled");
  });
});
