import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { readProcess } from "../../../hosts/local/process-table.ts";
import { eventually } from "../../../testing/eventually.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { ClientTerminals, findWithTerminals } from "./terminals.ts";

async function scene() {
  const cwd = await temporaryDirectory();
  const runDir = join(await temporaryDirectory(), "run");
  await mkdir(runDir);
  const env = { PATH: process.env.PATH ?? "" };
  const options = { host: createLocalHost(), cwd, runDir, env, stopMs: 500 };
  const terminals = new ClientTerminals(options);
  onTestFinished(() => terminals.end());
  return { ...options, terminals };
}

const pidIn = (file: string) =>
  eventually(async () => Number(await readFile(file, "utf8")) || Promise.reject());

const isRunning = (pid: number) => readProcess(pid)?.ended === false;

test("runs a command line or a command with arguments, and returns stdout and stderr in order", async () => {
  const { terminals } = await scene();
  const line = await terminals.create({ command: "echo out; echo err >&2; exit 3" });
  const parts = await terminals.create({ command: "printf", args: ["%s|", "a b", "$HOME"] });
  const wait = (terminalId: string) =>
    terminals.answer({ method: "terminal/wait_for_exit", params: { terminalId } });
  expect(await wait(line.terminalId)).toEqual({ exitCode: 3, signal: null });
  expect(await wait(parts.terminalId)).toEqual({ exitCode: 0, signal: null });
  const output = (terminalId: string) =>
    terminals.answer({ method: "terminal/output", params: { terminalId } });
  expect(await output(line.terminalId)).toMatchObject({ output: "out\nerr\n", truncated: false });
  expect(await output(parts.terminalId)).toMatchObject({ output: "a b|$HOME|" });
});

test("keeps the end of output that exceeds the limit, at a character boundary", async () => {
  const { terminals } = await scene();
  const { terminalId } = await terminals.create({ command: "printf 'aäöü'", outputByteLimit: 5 });
  await terminals.answer({ method: "terminal/wait_for_exit", params: { terminalId } });
  expect(
    await terminals.answer({ method: "terminal/output", params: { terminalId } }),
  ).toMatchObject({
    output: "öü",
    truncated: true,
  });
});

test("attaches to a running command after a detach, and kills it with its children", async () => {
  const { terminals, ...options } = await scene();
  const { terminalId } = await terminals.create({ command: "sleep 300 & echo $! > pid; wait" });
  const pid = await pidIn(join(options.cwd, "pid"));
  await terminals.detach();
  const again = new ClientTerminals(options);
  await again.attach();
  expect(again.find(terminalId)).toMatchObject({ hasEnded: false });
  await again.answer({ method: "terminal/kill", params: { terminalId } });
  await eventually(() => expect(isRunning(pid)).toBe(false));
});

test("kills a command that is still starting when the session ends, and rejects new commands", async () => {
  const { terminals } = await scene();
  const created = terminals.create({ command: "sleep 300" });
  await terminals.end();
  expect(terminals.find((await created).terminalId)).toMatchObject({ hasEnded: true });
  await expect(terminals.create({ command: "sleep 300" })).rejects.toThrow("is stopping");
});

test("terminates a detached agent's commands together with the agent", async () => {
  const { terminals, ...options } = await scene();
  const { host, cwd, runDir, env } = options;
  const agent = await host.spawn(
    { file: "/bin/sh", args: ["-c", "sleep 300"], cwd, env },
    { runDir },
  );
  await terminals.create({ command: "echo $$ > pid; sleep 300" });
  const pid = await pidIn(join(cwd, "pid"));
  await Promise.all([agent.detach(), terminals.detach()]);
  const found = await findWithTerminals({ host, runDir });
  await found?.terminate({ graceMs: 500 });
  await eventually(() => expect(isRunning(pid)).toBe(false));
  expect(await found?.health()).toBe("dead");
});
