import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processesIn } from "../../test/cli/processes.ts";
import { CommandHook } from "../schema/hook.ts";
import { samplePayload } from "../testing/sample-payload.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commandSink } from "./command-sink.ts";

const env = { PATH: process.env.PATH ?? "" };
const { signal } = new AbortController();
const payload = samplePayload({ data: { seq: 3, message: "$(touch pwned) `id` 'quoted'" } });

/** A hook that is a line of shell, which is the only shell there is. */
const shell = (script: string, options: Partial<CommandHook> = {}): CommandHook =>
  CommandHook.parse({ command: ["/bin/sh", "-c", script], ...options });

test("a command gets the payload as a line on standard input, whatever stands in it", async () => {
  const cwd = await temporaryDirectory();
  await commandSink(shell("cat > heard"), { cwd, env }).deliver(payload, { signal });
  expect(await readFile(join(cwd, "heard"), "utf8")).toBe(`${JSON.stringify(payload)}\n`);
});

test("a command's words are its own: no shell reads them", async () => {
  const cwd = await temporaryDirectory();
  const script = "require('fs').writeFileSync('heard', process.argv[1])";
  const command = CommandHook.parse({ command: [process.execPath, "-e", script, "$HOME; ls"] });
  await commandSink(command, { cwd, env }).deliver(payload, { signal });
  expect(await readFile(join(cwd, "heard"), "utf8")).toBe("$HOME; ls");
});

test("a command sees the environment it is given and nothing of ours", async () => {
  const cwd = await temporaryDirectory();
  const sink = commandSink(shell("env > heard", { env: { TEAM: "docs" } }), { cwd, env });
  await sink.deliver(payload, { signal });
  const names = (await readFile(join(cwd, "heard"), "utf8")).trim().split("\n");
  const ours = names.map((line) => line.split("=")[0]).filter((name) => name !== "_");
  expect(ours.sort()).toEqual(
    ["PATH", "PWD", "SHLVL", "TEAM"].filter((name) => ours.includes(name)),
  );
  expect(ours).toContain("TEAM");
});

test("a command that takes too long is ended with all it started", async () => {
  const cwd = await temporaryDirectory();
  const slow = shell("sleep 300 & wait", { timeoutMs: 300 });
  const told = commandSink(slow, { cwd, env }).deliver(payload, { signal });
  await expect(told).rejects.toThrow("it took over 300 ms");
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

test("a command that is given up is ended", async () => {
  const cwd = await temporaryDirectory();
  const giving = new AbortController();
  const told = commandSink(shell("sleep 300"), { cwd, env }).deliver(payload, {
    signal: giving.signal,
  });
  await expect.poll(() => processesIn(cwd)).not.toEqual([]);
  giving.abort(new Error("enough"));
  await expect(told).rejects.toThrow("enough");
  await expect.poll(() => processesIn(cwd)).toEqual([]);
});

test("what a command complains of is passed on", async () => {
  const cwd = await temporaryDirectory();
  const failing = commandSink(shell("echo no disk >&2; exit 3"), { cwd, env });
  await expect(failing.deliver(payload, { signal })).rejects.toThrow(
    "it ended with exit code 3 no disk",
  );
  const missing = commandSink(CommandHook.parse({ command: ["/no/such/hook"] }), { cwd, env });
  await expect(missing.deliver(payload, { signal })).rejects.toThrow("it cannot be run (");
});

test("a command need not read, and may leave something running", async () => {
  const cwd = await temporaryDirectory();
  const huge = samplePayload({ data: { seq: 1, message: "x".repeat(1_000_000) } });
  const sink = commandSink(shell("exec 0<&-; sleep 5 & echo $! > child"), { cwd, env });
  await sink.deliver(huge, { signal });
  const child = Number(await readFile(join(cwd, "child"), "utf8"));
  expect(await processesIn(cwd)).toEqual([child]);
  process.kill(child, "SIGKILL");
});
