import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli } from "../../../test/cli/start-cli.ts";

test("imports Gas Town agents and keeps existing registry entries", async () => {
  const user = await newUser();
  const registry = join(dirname(user.cwd), ".gastown", "runtimes.json");
  await mkdir(dirname(registry));
  await writeFile(registry, '{ "default": "pi", "runtimes": { "codex": { "ready": "warmup" } } }');
  const agents = {
    codex: { command: "/opt/codex", args: ["--dangerously-bypass-approvals-and-sandbox"] },
    mine: { command: "my-agent", args: ["--yolo"] },
  };
  await writeFile(join(user.cwd, "agents.json"), JSON.stringify({ version: 1, agents }));
  const { exitCode, stdout, stderr } = await runWarm(user, ["runtime", "import", "agents.json"]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout:
      "codex: /opt/codex\nmine: my-agent --yolo\nImported 2 agents into ~/.gastown/runtimes.json\n",
  });
  expect(stderr).toContain(
    "--dangerously-bypass-approvals-and-sandbox applies to its interactive mode",
  );
  expect(JSON.parse(await readFile(registry, "utf8"))).toEqual({
    default: "pi",
    runtimes: {
      codex: { ready: "warmup", bin: "/opt/codex" },
      mine: { bin: "my-agent", args: ["--yolo"], delivery: "tmux" },
    },
  });
  const list = await runWarm(user, ["runtime", "list"]);
  expect(list.stdout).toMatch(
    /✗ codex .*\n {2}the program \/opt\/codex does not exist\n {2}correct "bin"/,
  );
  expect(list.stdout).toMatch(/✗ mine /);
});

test("imports the output of gt preset from a pipe, as an ACP agent", async () => {
  const user = await newUser();
  const cli = `${process.execPath} ${program}`;
  const line = `${cli} gt preset --runtime codex | ${cli} runtime import /dev/stdin`;
  const { exitCode, stdout } = await new StartedCli(user, ["sh", "-c", line]).finished;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout:
      "halyard-codex: halyard acp --runtime codex --permissions allow-all\nImported 1 agent into ~/.gastown/runtimes.json\n",
  });
});

test("rejects a missing file and a file in another format", async () => {
  const user = await newUser();
  const missing = await runWarm(user, ["runtime", "import", "nowhere.json"]);
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("nowhere.json") });
  await writeFile(join(user.cwd, "other.json"), '{ "agents": [] }');
  const other = await runWarm(user, ["runtime", "import", "other.json"]);
  expect(other).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/other\.json:1:13: agents: expected record/),
  });
});
