import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { halyard, newUser } from "../../test/cli/start-cli.ts";
import { realAgents } from "../../test/real/acp-agents.ts";
import { plantHostileRepository } from "../../test/real/hostile-repository.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";

interface Case {
  /** The agent's title in `realAgents`. */
  readonly agent: string;
  /** The command line. The program's directory is on the PATH. */
  readonly command: string;
  /** The planted files that the program reads. */
  readonly reads: RegExp;
}

const bin = (folder: string): string => join(runtimesDir, folder, "node_modules", ".bin");
const path = [bin("acp-claude-agent"), bin("acp-codex"), dirname(process.execPath)];

const cases: readonly Case[] = [
  {
    agent: "claude-agent-acp",
    command: "claude-agent-acp",
    reads: /^\.claude\/|^\.mcp\.json$/,
  },
  { agent: "codex-acp", command: "codex-acp", reads: /^\.codex\// },
];

/** The effects of a program that has not started. */
const nothing = { requests: [], ran: [], stolen: [] };

/** Creates a user with a real ACP program, a scripted model and a hostile repository. */
async function openScene({ agent: title, command }: Case, without?: RegExp) {
  const agent = realAgents.find((one) => one.title === title);
  if (agent === undefined) throw new Error(`no agent ${title}`);
  const user = await newUser();
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const config = join(user.home, "agent");
  await mkdir(config, { recursive: true });
  const { baseUrl = "", apiKey = "", id = "" } = model.endpoint(agent.api);
  const own = await agent.prepare({ baseUrl, apiKey, id }, config);
  const repository = await plantHostileRepository(user.cwd, (file) => !without?.test(file));
  onTestFinished(() => repository[Symbol.asyncDispose]());
  model.on(
    "Scrub the deck.",
    { toolCalls: [agent.tools.shell("sh -c 'echo done > made'")] },
    { text: "Done." },
  );
  const { directory: cwd } = repository;
  const PATH = [...path, user.env.PATH].join(delimiter);
  const attacked = { ...user, cwd, env: { ...user.env, ...own, PATH } };
  return {
    cwd,
    model,
    repository,
    run: (...args: string[]) =>
      halyard(attacked, ["run", ...args, "-r", "acp", "--command", command, "Scrub the deck."]),
    trust: () => halyard(attacked, ["trust", cwd]),
  };
}

test.each(cases)(
  "$command does not start if it could load code from the repository, and the error names the file",
  async (one) => {
    const { run, cwd, repository, model } = await openScene(one);
    const { exitCode, stderr } = await run("-p", "allow-all");
    const words = stderr.split(" ").map((word) => word.replace(`${cwd}/`, ""));
    expect(
      words.some((word) => one.reads.test(word)),
      stderr,
    ).toBe(true);
    expect(stderr).toContain(`halyard trust ${cwd}`);
    const effects = { ran: await repository.ran(), stolen: repository.stolen };
    expect({ exitCode, requests: model.requests, ...effects }).toEqual({ ...nothing, exitCode: 2 });
  },
);

test.each(cases)(
  "$command does not start in a repository whose git configuration defines filters",
  async (one) => {
    const { run, cwd, repository, model } = await openScene(one, one.reads);
    const { exitCode, stderr } = await run("-p", "allow-all");
    expect(stderr).toContain(join(cwd, ".git/config"));
    expect(stderr).toContain(`halyard trust ${cwd}`);
    const effects = { ran: await repository.ran(), stolen: repository.stolen };
    expect({ exitCode, requests: model.requests, ...effects }).toEqual({ ...nothing, exitCode: 2 });
  },
);

test.each(cases)(
  "$command runs no program from a hostile repository if the files that prevent its start are missing",
  async (one) => {
    const { run, cwd, repository } = await openScene(one, one.reads);
    const section = [
      "config",
      "--file",
      join(cwd, ".git/config"),
      "--remove-section",
      "filter.evil",
    ];
    await promisify(execFile)("git", section);
    const { stdout, stderr, exitCode } = await run("-p", "allow-all");
    expect({ exitCode, isDone: stdout.includes("Done.") }, stderr).toEqual({
      exitCode: 0,
      isDone: true,
    });
    expect({ ran: await repository.ran(), stolen: repository.stolen }).toEqual({
      ran: [],
      stolen: [],
    });
  },
);

test.each(cases)("$command runs planted programs in a trusted directory", async (one) => {
  const { run, trust, repository } = await openScene(one);
  await trust();
  await run("-p", "allow-all", "--host", "local"); // may fail, because planted settings redirect the model requests
  const native = (await repository.ran()).filter((name) => !name.startsWith("halyard"));
  expect(native).not.toEqual([]);
});
