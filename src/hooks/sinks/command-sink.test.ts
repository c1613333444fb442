import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processesIn } from "../../../test/cli/processes.ts";
import { CommandHook } from "../../schema/hook.ts";
import { samplePayload } from "../../testing/sample-payload.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { commandSink } from "./command-sink.ts";

const env = { PATH: process.env.PATH ?? "" };
const { signal } = new AbortController();
const id = "ses_0000000000000001:SessionStart:3";
const payload = samplePayload({ data: { seq: 3, message: "$(touch pwned) `id` 'quoted'" } });

/** Returns a hook that runs a shell script. Halyard itself never starts a shell for a hook. */
const shell = (script: string, options: Partial<CommandHook> = {}): CommandHook =>
  CommandHook.parse({ command: ["/bin/sh", "-c", script], ...options });

test("writes the payload to the command's standard input as one line, without interpreting its content", async () => {
  const cwd = await temporaryDirectory();
  await commandSink(shell("cat > input"), { cwd, env }).deliver(payload, { id, signal });
  expect(await readFile(join(cwd, "input"), "utf8")).toBe(`${JSON.stringify(payload)}\n`);
});

test("passes a command's arguments unchanged, without a shell", async () => {
  const cwd = await temporaryDirectory();
  const script = "require('fs').writeFileSync('input', process.argv[1])";
  const command = CommandHook.parse({ command: [process.execPath, "-e", script, "$HOME; ls"] });
  await commandSink(command, { cwd, env }).deliver(payload, { id, signal });
  expect(await readFile(join(cwd, "input"), "utf8")).toBe("$HOME; ls");
});

test("passes the configured environment to a command, and no variable from this process", async () => {
  const cwd = await temporaryDirectory();
  const sink = commandSink(shell("env > input", { env: { TEAM: "docs" } }), { cwd, env });
  await sink.deliver(payload, { id, signal });
  const names = (await readFile(join(cwd, "input"), "utf8")).trim().split("\n");
  const variables = names.map((line) => line.split("=")[0]).filter((name) => name !== "_");
  expect(variables.sort()).toEqual(
    ["PATH", "PWD", "SHLVL", "TEAM"].filter((name) => variables.includes(name)),
  );
  expect(variables).toContain("TEAM");
});

test("kills a command and its child processes when the command exceeds its timeout", async () => {
  const cwd = await temporaryDirectory();
  const slow = shell("sleep 300 & wait", { timeoutMs: 300 });
  const received = commandSink(slow, { cwd, env }).deliver(payload, { id, signal });
  await expect(received).rejects.toThrow("the command ran for more than 300 ms");
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

test("kills a command when the delivery is aborted", async () => {
  const cwd = await temporaryDirectory();
  const aborting = new AbortController();
  const received = commandSink(shell("sleep 300"), { cwd, env }).deliver(payload, {
    id,
    signal: aborting.signal,
  });
  await expect.poll(() => processesIn(cwd)).not.toEqual([]);
  aborting.abort(new Error("enough"));
  await expect(received).rejects.toThrow("enough");
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

test("rejects with the exit code and standard error of a failed command, or with the reason why it did not start", async () => {
  const cwd = await temporaryDirectory();
  const failing = commandSink(shell("echo no disk >&2; exit 3"), { cwd, env });
  await expect(failing.deliver(payload, { id, signal })).rejects.toThrow(
    "the command exited with code 3: no disk",
  );
  const missing = commandSink(CommandHook.parse({ command: ["/no/such/hook"] }), { cwd, env });
  await expect(missing.deliver(payload, { id, signal })).rejects.toThrow(
    "the command could not be started: ",
  );
});

test("delivers to a command even if it does not read its input and leaves a process behind", async () => {
  const cwd = await temporaryDirectory();
  const huge = samplePayload({ data: { seq: 1, message: "x".repeat(1_000_000) } });
  const sink = commandSink(shell("exec 0<&-; sleep 5 & echo $! > child"), { cwd, env });
  await sink.deliver(huge, { id, signal });
  const child = Number(await readFile(join(cwd, "child"), "utf8"));
  expect(await processesIn(cwd)).toEqual([child]);
  process.kill(child, "SIGKILL");
});
