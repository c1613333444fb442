import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newUser, program, StartedCli } from "../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";

const SCRIPT = "/usr/bin/script";

/** `script` gives a program a terminal; what is written to its standard input is typed there. */
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
    const command = [
      process.execPath,
      program,
      "run",
      "--base-url",
      baseUrl,
      "--api",
      api,
      "-m",
      id,
      "go",
    ];
    return new StartedCli(user, [SCRIPT, "-qec", command.join(" "), "/dev/null"]);
  }

  test("a request is asked in place and answered by a letter; always means not to ask again", async () => {
    const cli = await start();
    await cli.says(/lways for bash/);
    cli.process.stdin.write("a\r");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(0);
    expect(stdout.match(/lways for bash/g)).toHaveLength(1);
    expect(stdout).toContain("\u001b[32m✓ completed\u001b[39m");
    expect(stdout).toContain("\u001b[2m  two\u001b[22m");
  });

  test("a denial with words reaches the agent", async () => {
    const cli = await start();
    await cli.says(/lways for bash/);
    cli.process.stdin.write("n not today\r");
    await cli.says(/denied: not today[\s\S]*lways for bash/);
    cli.process.stdin.write("y\r");
    expect(await cli.finished).toMatchObject({ exitCode: 0 });
  });

  test("Ctrl-C at the question cancels the turn", async () => {
    const cli = await start();
    await cli.says(/lways for bash/);
    cli.process.stdin.write("\u0003");
    const { exitCode, stdout } = await cli.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toContain("■ cancelled");
  });
});
