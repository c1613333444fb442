import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { describeHost } from "../../testing/describe-host.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHostTest } from "../../testing/host-suite/host-test.ts";
import { idle, node, readAll, readUntil, sh } from "../../testing/host-suite/programs.ts";
import { MARKER, newMarker } from "../recording/mark.ts";
import { createLocalHost } from "./index.ts";
import { healthOfProcess, identify } from "./process-identity.ts";

describeHost("local", {
  createHost: createLocalHost,
  module: {
    url: new URL("../../../dist/hosts/local/index.js", import.meta.url),
    exportName: "createLocalHost",
  },
});

const test = createHostTest({ createHost: createLocalHost });

test("makes the run directory and its files private to the user", async ({ workbench }) => {
  const runDir = workbench.newRunDir();
  await workbench.spawn(idle, { runDir });
  const modes = new Map<string, string>();
  for (const name of [".", ...readdirSync(runDir)])
    modes.set(name, (await stat(join(runDir, name))).mode.toString(8));
  expect(Object.fromEntries(modes)).toEqual({
    ".": "40700",
    "process.json": "100600",
    stderr: "100600",
    stdin: "10600",
    stdout: "100600",
  });
});

test("prepares a separate FIFO in advance for each program", async ({ workbench }) => {
  const { directory, env } = workbench;
  const host = createLocalHost({ directory });
  const inodeOf = async (path: string) => (await stat(path)).ino;
  const spawnIdle = async (): Promise<number> => {
    const runDir = workbench.newRunDir();
    await host.spawn({ cwd: directory, env, ...idle }, { runDir });
    return inodeOf(join(runDir, "stdin"));
  };
  const spare = () => eventually(() => inodeOf(join(directory, "next-stdin")));
  const first = await spawnIdle();
  const kept = await spare();
  expect(await spawnIdle()).toBe(kept);
  expect(new Set([first, kept, await spare()]).size).toBe(3);
});

test("starts mkfifo once for each program, even for the first one in a directory", async ({
  workbench,
}) => {
  const { directory, env } = workbench;
  const calls = join(directory, "calls");
  const script = `#!/bin/sh\necho call >> ${calls}\nPATH="\${PATH#*:}" exec mkfifo "$@"\n`;
  await mkdir(join(directory, "bin"));
  await writeFile(join(directory, "bin/mkfifo"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${join(directory, "bin")}:${process.env.PATH}`);
  const host = createLocalHost({ directory });
  for (const count of [1, 2, 3]) {
    const runDir = workbench.newRunDir();
    const program = await host.spawn({ cwd: directory, env, ...idle }, { runDir });
    await program.terminate({ graceMs: 0 }); // waits for the FIFO of the next program
    expect(await readFile(calls, "utf8")).toBe("call\n".repeat(count));
  }
});

test("does not use a prepared FIFO that has become another type of file", async ({ workbench }) => {
  const { directory, env } = workbench;
  const spare = join(directory, "next-stdin");
  for (const spoil of [() => writeFile(spare, ""), () => mkdir(spare)]) {
    await spoil();
    const runDir = workbench.newRunDir();
    const host = createLocalHost({ directory });
    const program = await host.spawn({ cwd: directory, env, ...idle }, { runDir });
    expect((await stat(join(runDir, "stdin"))).isFIFO()).toBe(true);
    await program.terminate({ graceMs: 0 });
    await rm(spare);
  }
});

test("starts a program if no FIFO can be prepared in advance", async ({ workbench }) => {
  const { directory, env } = workbench;
  const file = join(directory, "file");
  await writeFile(file, "");
  const runDir = workbench.newRunDir();
  const host = createLocalHost({ directory: file });
  await host.spawn({ cwd: directory, env, ...idle }, { runDir });
  expect((await stat(join(runDir, "stdin"))).isFIFO()).toBe(true);
});

test("does not write a program's arguments or variables to its record", async ({ workbench }) => {
  const runDir = workbench.newRunDir();
  const program = { ...sh("echo $KEY; exec sleep 1000 # argument"), env: { KEY: "sk-secret" } };
  const { identity } = await workbench.spawn(program, { runDir });
  expect(JSON.parse(await readFile(join(runDir, "process.json"), "utf8"))).toEqual({
    file: "/bin/sh",
    marker: expect.stringMatching(/^[0-9a-f]{32}$/),
    identity,
  });
});

test("adds only a marker with the run directory to a program's environment", async ({
  workbench,
}) => {
  const runDir = workbench.newRunDir();
  const program = node("console.log(JSON.stringify(process.env))");
  const process = await workbench.spawn(program, { runDir });
  const { [MARKER]: mark, ...given } = JSON.parse(String(await readAll(process)));
  expect(mark.slice(32)).toBe(`:${runDir}`);
  expect(mark.slice(0, 32)).toMatch(/^[0-9a-f]{32}$/);
  expect(given).toEqual(workbench.env);
});

test("terminate kills a descendant that has an empty environment and whose parent is still running", async ({
  workbench,
}) => {
  const program = await workbench.spawn(
    node(`
      const options = { env: {}, detached: true, stdio: "ignore" };
      console.log(require("node:child_process").spawn("/bin/sleep", ["1000"], options).pid);
      setInterval(() => {}, 1000);
    `),
  );
  const hidden = identify(Number(await readUntil(program, "\n")));
  await program.terminate({ graceMs: 10_000 });
  expect(hidden && healthOfProcess(hidden)).toBe("dead");
});

test("terminate waits for an agent and its output if the script around it exits first", async ({
  workbench,
}) => {
  const file = join(workbench.directory, "saved");
  const agent = `
    process.on("SIGTERM", () => setTimeout(() => {
      require("node:fs").writeFileSync(${JSON.stringify(file)}, "saved");
      console.log("over");
      process.exit();
    }, 300));
    setInterval(() => {}, 1000);
    console.log("ready");
  `;
  const { file: nodeFile, args } = node(agent);
  const script = sh(`cat | "$@"`);
  const program = { ...script, args: [...script.args, "sh", nodeFile, ...args] };
  const process = await workbench.spawn(program);
  await readUntil(process, "ready");
  const output = readAll(process);
  await process.terminate({ graceMs: 10_000 });
  expect(await readFile(file, "utf8")).toBe("saved");
  expect(String(await output)).toBe("ready\nover\n");
});

test("leaves no files open after reading and terminating", async ({ workbench }) => {
  const openFiles = () => readdirSync("/proc/self/fd").length;
  const warmUp = await workbench.spawn(idle); // the first watcher opens a file that later watchers share
  await readUntil(warmUp, "ready");
  const before = openFiles();
  const process = await workbench.spawn(idle);
  await readUntil(process, "ready");
  await process.write("hello\n");
  await process.terminate({ graceMs: 10_000 });
  await readAll(process);
  expect(openFiles()).toBe(before);
});

test("attach finds a program whose starter died before it recorded the pid", async ({
  workbench,
}) => {
  const runDir = workbench.newRunDir();
  const process = await workbench.spawn(idle, { runDir });
  await process.detach();
  const record = join(runDir, "process.json");
  const { identity, ...early } = JSON.parse(await readFile(record, "utf8"));
  await writeFile(record, JSON.stringify(early));
  const again = await workbench.host.attach(runDir);
  expect(again?.identity).toEqual(identity);
  await again?.terminate({ graceMs: 10_000 });
});

test("starts a program in a run directory that contains the record of a failed start", async ({
  workbench,
}) => {
  const runDir = workbench.newRunDir();
  await writeRecord(runDir, { file: "x", marker: newMarker() });
  await writeFile(join(runDir, "stdout"), "");
  expect(await workbench.host.attach(runDir)).toBeUndefined();
  const process = await workbench.spawn(sh("echo second"), { runDir });
  expect(String(await readAll(process))).toBe("second\n");
});

test('attach rejects with "lost" if the record is invalid', async ({ workbench }) => {
  const runDir = join(workbench.directory, "damaged");
  await writeRecord(runDir, { pid: 1 });
  await expect(workbench.host.attach(runDir)).rejects.toMatchObject({ code: "lost" });
});

test.for([
  ["a later process with the same pid", (now: ProcessIdentity) => ({ ...now, startTime: "1" })],
  ["a process from another boot", (now: ProcessIdentity) => ({ ...now, bootId: "another" })],
] as const)("never signals %s", async ([, change], { workbench }) => {
  using foreign = startForeignProcess();
  const now = await foreign.identity;
  const runDir = workbench.newRunDir();
  await writeRecord(runDir, { file: "x", marker: newMarker(), identity: change(now) });
  await writeFile(join(runDir, "stdout"), "its last words");

  const process = await workbench.host.attach(runDir);
  expect(await process?.health()).toBe("dead");
  expect(await process?.exit).toEqual({});
  expect(process && String(await readAll(process))).toBe("its last words");
  await process?.terminate({ graceMs: 0 });
  expect(healthOfProcess(now)).toBe("alive");
});

async function writeRecord(runDir: string, record: unknown): Promise<void> {
  await mkdir(runDir, { recursive: true });
  await writeFile(join(runDir, "process.json"), JSON.stringify(record));
}

/** Starts a process that leads its own group, like one of Halyard's programs. */
function startForeignProcess(): Disposable & { identity: Promise<ProcessIdentity> } {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  return { identity: identityOf(child), [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

async function identityOf(child: ChildProcess): Promise<ProcessIdentity> {
  await once(child, "spawn");
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) throw new Error("the foreign process did not start");
  return identity;
}
