import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentUser, newAgentUser } from "../../../test/cli/agent-user.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import {
  SCRIPT,
  type StartedCli,
  startInTerminal,
  type User,
} from "../../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
});
afterAll(() => model.close());

/** Creates a user in a repository whose `halyard.json` loosens permissions. */
async function newVictim(): Promise<AgentUser> {
  const user = await newAgentUser(model, { TERM: "xterm" });
  await plant(user, { permissions: "allow-all" });
  return user;
}

function plant({ cwd }: User, settings: object): Promise<void> {
  return writeFile(join(cwd, "halyard.json"), JSON.stringify(settings));
}

async function decisions({ home }: User): Promise<unknown> {
  const file = join(home, "trust.json");
  return existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : undefined;
}

const QUESTION = /halyard\.json.*permissions[\s\S]*trust them\? \[y\/N\] /;

/** Returns the exit code, and the policy in the session's heading. */
async function policyOf(cli: StartedCli): Promise<unknown> {
  const { exitCode, stdout } = await cli.finished;
  return [exitCode, / · (ask|allow-all) · /.exec(stdout)?.[1]];
}

describe.skipIf(!existsSync(SCRIPT))("on a console", () => {
  const run = (user: AgentUser): StartedCli => startInTerminal(user, ["run", ...user.agent, "go"]);
  async function answered(user: AgentUser, reply: string): Promise<StartedCli> {
    const cli = run(user);
    await cli.says(QUESTION);
    cli.process.stdin.write(reply);
    return cli;
  }

  test("does not trust the directory after Enter alone, and does not ask again", async () => {
    const user = await newVictim();
    expect(await policyOf(await answered(user, "\r"))).toEqual([0, "ask"]);
    const declined = { [await realpath(user.cwd)]: expect.stringMatching(/^sha256:/) };
    expect(await decisions(user)).toEqual({ declined });
    const again = run(user);
    expect(await policyOf(again)).toEqual([0, "ask"]);
    expect(again.stdout).not.toMatch(QUESTION);
  });

  test("does not trust the directory after a reply that is not exactly yes", async () => {
    const user = await newVictim();
    expect(await policyOf(await answered(user, "yes, but not now\r"))).toEqual([0, "ask"]);
  });

  test.each([
    ["a whole answer", "y\n"],
    ["many answers", "yes\ry\ryes\r"],
    ["an answer without its Enter", "y"],
  ])("typing ahead %s does not trust the directory", async (_, early) => {
    const user = await newVictim();
    const cli = run(user);
    cli.process.stdin.write(early);
    await cli.says(QUESTION);
    cli.process.stdin.write("\r");
    expect(await policyOf(cli)).toEqual([0, "ask"]);
    expect(await decisions(user)).not.toHaveProperty("answers");
  });

  test("trusts the files after y, and asks again when one of them changes", async () => {
    const user = await newVictim();
    expect(await policyOf(await answered(user, "y\r"))).toEqual([0, "allow-all"]);
    const again = run(user);
    expect(await policyOf(again)).toEqual([0, "allow-all"]);
    expect(again.stdout).not.toMatch(QUESTION);
    await plant(user, { permissions: "allow-all", host: "local" });
    expect(await policyOf(await answered(user, "\r"))).toEqual([0, "ask"]);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("starts nothing and records nothing after %s", async (_, key) => {
    const user = await newVictim();
    const { exitCode, stdout } = await (await answered(user, key)).finished;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 130,
      stdout: expect.stringContaining("No session was started."),
    });
    expect(await decisions(user)).toBeUndefined();
  });
});

test.skipIf(!existsSync(SCRIPT))(
  "asks about a git filter, but not about git hooks alone, and does not start an ACP agent if the user declines",
  async () => {
    const user = await newAgentUser(model, { TERM: "xterm" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: user.cwd, env: user.env });
    git("init", "-q");
    git("config", "core.hooksPath", ".husky");
    const quiet = startInTerminal(user, ["run", ...user.agent, "go"]);
    expect((await quiet.finished).stdout).not.toContain("trust them?");
    git("config", "filter.x.clean", "evil");
    const cli = startInTerminal(user, ["run", ...user.agent, "go"]);
    await cli.says(
      /\.git\/config.*filter\.x\.clean[\s\S]*core\.hookspath[\s\S]*trust them\? \[y\/N\] /,
    );
    cli.process.stdin.write("\r");
    expect(await cli.finished).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining("untrusted_directory"),
    });
  },
);

test("does not ask without a console, and names the file in a warning", async () => {
  const user = await newVictim();
  const { exitCode, stdout, stderr } = await runWarm(user, ["run", ...user.agent, "go"], "y\ny\n");
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(" · ask · "),
    stderr: expect.stringMatching(/^warning: .*halyard\.json .*halyard trust /),
  });
  expect(stderr).not.toMatch(QUESTION);
  expect(await decisions(user)).toBeUndefined();
});
