import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilInfo } from "../../test/cluster/checks.ts";
import { NatsServer } from "../../test/nats/nats-server.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { newRepository } from "../../test/workspace/repository.ts";
import { claudeToolCalls } from "../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../adapters/codex/events/tool-calls.ts";
import { droidToolCalls } from "../adapters/droid/events/tool-calls.ts";
import { piToolCalls } from "../adapters/pi/events/tool-calls.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { hasProcess } from "../hosts/local/process-identity.ts";
import type { ModelApi } from "../schema/model.ts";
import { eventually } from "../testing/eventually.ts";
import type { ModelToolCall } from "../testing/script.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";
import { connectCluster } from "./connect.ts";
import { connectNats } from "./connect-nats.ts";

interface Agent {
  readonly api: ModelApi;
  shell(command: string): ModelToolCall;
}

const agents: Readonly<Record<string, Agent>> = {
  claude: { api: "anthropic", ...claudeToolCalls },
  codex: { api: "openai-responses", ...codexToolCalls },
  droid: { api: "openai-chat", ...droidToolCalls },
  opencode: {
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "a command" } }),
  },
  pi: { api: "openai-chat", ...piToolCalls },
};

test("Claude Code, Codex, Droid, OpenCode and Pi continue on another worker, with history and files, after their client and worker are killed", async () => {
  const nats = await NatsServer.start();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const home = await mkdtemp(join(tmpdir(), "halyard-moving-"));
  const programs: ChildProcess[] = [];
  const left: number[] = [];
  const run = (machine: string, ...args: string[]): ChildProcess => {
    const env = { PATH: process.env.PATH, HOME: home, HALYARD_HOME: join(home, machine) };
    const child = spawn(process.execPath, ["dist/bin/halyard.js", ...args], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    programs.push(child);
    return child;
  };
  const work = async (machine: string): Promise<ChildProcess> => {
    await mkdir(join(home, machine), { recursive: true });
    await symlink(runtimesDir, join(home, machine, "runtimes")).catch(() => {}); // exists if the worker was restarted
    const worker = run(machine, "worker", "--join", nats.url, "--machine", machine);
    if (worker.stdout) await once(worker.stdout, "data");
    return worker;
  };
  const connection = await connectNats({ servers: nats.url });
  const model = await startScriptedModel();
  const first = await work("one");
  const client = await connectCluster(connection);
  onTestFinished(async () => {
    for (const { id } of await client.sessions()) await client.stop(id).catch(() => {});
    await client[Symbol.asyncDispose]();
    for (const program of programs) await end(program, "SIGTERM");
    for (const pid of left) if (hasProcess(pid)) process.kill(pid, "SIGKILL");
    await connection.close();
    await rm(home, { recursive: true, force: true });
    await model.close();
  });
  const { root } = await newRepository({ "old.txt": "old\n" });
  const moving = await Promise.all(
    Object.entries(agents).map(async ([name, agent]) => {
      const id = await workOn(client, model, { name, agent, url: root });
      return { name, agent, id };
    }),
  );
  const reader = run("reader", "--cluster", nats.url, "events", moving[0]?.id ?? "", "--follow");
  if (reader.stdout) await once(reader.stdout, "data");
  await end(reader, "SIGKILL");
  for (const { pid } of await client.sessions()) if (pid !== undefined) left.push(pid);
  expect(left).toHaveLength(moving.length);
  await work("two");
  await end(first, "SIGKILL");
  const resume = async ({ name, agent, id }: (typeof moving)[number]) => {
    await untilInfo(client, id, ({ unreachable }) => unreachable === true);
    const session = await client.resume(id, { model: model.endpoint(agent.api) });
    expect([name, session.opened, session.info.machine]).toEqual([name, "resumed", "two"]);
    const outcome = await session.send(`Task two of ${name}.`).outcome;
    expect([name, outcome.error, outcome.text]).toEqual([name, undefined, "Done again."]);
    const said = model.requests.filter(({ messages }) =>
      messages.some(({ text }) => text.includes(`Task two of ${name}.`)),
    );
    const history = said
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n");
    expect([name, history]).toEqual([name, expect.stringContaining(`Task one of ${name}.`)]);
    const { cwd } = session.info;
    expect([name, await readFile(join(cwd, "new.txt"), "utf8")]).toEqual([name, "one\ntwo\n"]);
    await expect(readFile(join(cwd, "old.txt"))).rejects.toThrow("ENOENT");
    await session.stop();
  };
  await Promise.all(moving.map(resume));
  await work("one"); // the restarted worker kills the agents whose sessions have moved
  await eventually(() => expect(left.filter(hasProcess)).toEqual([]));
});

/** Runs a turn that changes files on the first worker. Returns the id of the session when its files are saved. */
async function workOn(
  client: Halyard,
  model: ScriptedModel,
  { name, agent, url }: { name: string; agent: Agent; url: string },
): Promise<string> {
  const change = agent.shell("echo one > new.txt; rm old.txt");
  model.on(`Task one of ${name}.`, { toolCalls: [change] }, { text: "Done." });
  const more = agent.shell("echo two >> new.txt");
  model.on(`Task two of ${name}.`, { toolCalls: [more] }, { text: "Done again." });
  const session = await client.start({
    runtime: name,
    cwd: ".",
    repository: { url },
    permissions: "allow-all",
    model: model.endpoint(agent.api),
  });
  const outcome = await session.send(`Task one of ${name}.`).outcome;
  expect([name, outcome.status]).toEqual([name, "completed"]);
  await untilInfo(client, session.id, ({ checkpoint }) => checkpoint?.missingTurnId === undefined);
  return session.id;
}

async function end(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, "exit");
  program.kill(signal);
  await exited;
}
