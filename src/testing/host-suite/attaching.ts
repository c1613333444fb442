import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import type { HostProcess } from "../../contracts/host.ts";
import type { HostModule, HostTest, Program, Workbench } from "./host-test.ts";
import { echo, family, idle, node, readAll, readUntil, sh } from "./programs.ts";

/** Tests how a host attaches to and detaches from programs. */
export function describeAttaching(test: HostTest, module: HostModule): void {
  test("returns undefined if no program was started", async ({ workbench }) => {
    expect(await workbench.host.attach(workbench.newRunDir())).toBeUndefined();
    expect(await workbench.host.attach(workbench.directory)).toBeUndefined();
  });

  test("attaches to a running program, writes to its input, and detects its exit", async ({
    workbench,
  }) => {
    const runDir = workbench.newRunDir();
    const before = await workbench.spawn(echo, { runDir });
    await readUntil(before, "ready");
    await before.detach();
    const process = await found(workbench, runDir);
    expect(process.identity).toEqual(before.identity);
    expect(await process.health()).toBe("alive");
    await process.write("me\n");
    expect(await readUntil(process, "heard me\n", "ready\n".length)).toBe("heard me\n");
    await process.write("leave\n");
    expect(String(await readAll(process))).toBe("ready\nheard me\n");
    expect(await process.exit).toEqual({});
    expect(await process.health()).toBe("dead");
  });

  test("attaches to an exited program and reads its complete output", async ({ workbench }) => {
    const runDir = workbench.newRunDir();
    const before = await workbench.spawn(sh("echo whole; echo wrong >&2; exit 1"), { runDir });
    await before.exit;
    const process = await found(workbench, runDir);
    expect(await process.health()).toBe("dead");
    expect(await process.exit).toEqual({});
    expect(String(await readAll(process))).toBe("whole\n");
    expect(await process.stderrTail()).toBe("wrong\n");
    await expect(process.write("hello\n")).rejects.toMatchObject({ code: "delivery_failed" });
    await process.terminate({ graceMs: 0 });
  });

  test("terminates all processes that an attached program started", async ({ workbench }) => {
    const runDir = workbench.newRunDir();
    const before = await workbench.spawn(family("setInterval(() => {}, 1000)"), { runDir });
    await readUntil(before, "ready");
    await before.detach();
    const process = await found(workbench, runDir);
    await process.terminate({ graceMs: 600_000 });
    expect(await process.exit).toEqual({});
    expect(workbench.survivors()).toEqual([]);
  });

  test("terminates the processes that an exited program left behind", async ({ workbench }) => {
    const runDir = workbench.newRunDir();
    const before = await workbench.spawn(family("process.exit(0)"), { runDir });
    await before.exit;
    await before.detach();
    const process = await found(workbench, runDir);
    await process.terminate({ graceMs: 0 });
    expect(workbench.survivors()).toEqual([]);
  });

  test("leaves the program running when a detached handle is disposed, and attaches again", async ({
    workbench,
  }) => {
    const runDir = workbench.newRunDir();
    const process = await workbench.spawn(idle, { runDir });
    const reading = process.output()[Symbol.asyncIterator]();
    await reading.next();
    const waiting = reading.next();
    await process.detach();
    await process.detach();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await process[Symbol.asyncDispose]();
    await process.terminate({ graceMs: 0 });
    await expect(process.write("hello\n")).rejects.toMatchObject({ code: "delivery_failed" });
    const again = await found(workbench, runDir);
    expect(await again.health()).toBe("alive");
  });

  test("attaches after the starting process was killed", async ({ workbench }) => {
    const runDir = workbench.newRunDir();
    const talker = node(`
      const say = (n) => { console.log("line " + n); setTimeout(say, 1, n + 1); };
      process.stdin.on("data", (text) => console.log("heard " + text));
      process.stdin.on("end", () => console.log("end of input"));
      say(0);
    `);
    const busy = `
      await p.write("a question");
      for await (const { bytes } of p.output()) if (String(bytes).includes("heard")) console.log("answered");
    `;
    const starter = startIn(module, workbench, talker, runDir, busy);
    for await (const text of starter.stdout) if (String(text).includes("answered")) break;
    starter.kill("SIGKILL");
    await once(starter, "exit");

    const process = await found(workbench, runDir);
    await process.write("a late question");
    const said = await readUntil(process, "heard a late question\n");
    const lines = said.split("\n").filter((line) => line.startsWith("line"));
    const others = said.split("\n").filter((line) => !line.startsWith("line"));
    expect(lines).toEqual(lines.map((_, n) => `line ${n}`));
    expect(others).toEqual(["heard a question", "heard a late question", ""]);
    await process.terminate({ graceMs: 600_000 });
    expect(workbench.survivors()).toEqual([]);
  });

  test.for([
    ["lets the starting process exit while the program runs, after a detach", "await p.detach();"],
    ["lets the starting process exit if none of its code waits for the program", ""],
    [
      "lets the starting process exit after a detach, even if the program has not read its input",
      "p.write('x'.repeat(1e6)).catch(() => {}); await p.detach();",
    ],
    [
      "lets the starting process exit after it has read a part of the output",
      "for await (const _ of p.output()) break;",
    ],
  ] as const)("%s", async ([, then], { workbench }) => {
    const runDir = workbench.newRunDir();
    const starter = startIn(module, workbench, idle, runDir, then);
    expect(await once(starter, "exit")).toEqual([0, null]);
    const process = await found(workbench, runDir);
    expect(await process.health()).toBe("alive");
  });

  test.for([
    ["output", "for await (const _ of p.output()) {}"],
    ["exit", "await p.exit;"],
    ["exit after an attach", "await p.detach(); await (await host.attach(runDir)).exit;"],
  ] as const)(
    "keeps the starting process alive while it waits for the program's %s",
    async ([, then], { workbench }) => {
      const runDir = workbench.newRunDir();
      const starter = startIn(module, workbench, echo, runDir, `${then} console.log("over");`);
      await once(starter.stdout, "data");
      const process = await found(workbench, runDir);
      await process.write("leave\n");
      const [last] = await once(starter.stdout, "data");
      expect(String(last)).toBe("over\n");
      expect(await once(starter, "exit")).toEqual([0, null]);
    },
  );
}

async function found(workbench: Workbench, runDir: string): Promise<HostProcess> {
  const process = await workbench.host.attach(runDir);
  if (process === undefined) throw new Error("The host did not find the program.");
  return process;
}

/** Starts the program as `p` in another process, and runs a script with it. */
function startIn(
  module: HostModule,
  workbench: Workbench,
  program: Program,
  runDir: string,
  then: string,
) {
  const command = { ...program, cwd: workbench.directory, env: workbench.env };
  const source = `
    import { ${module.exportName} as createHost } from ${JSON.stringify(module.url)};
    const runDir = ${JSON.stringify(runDir)};
    const host = await createHost();
    const p = await host.spawn(${JSON.stringify(command)}, { runDir });
    console.log("started");
    ${then}
  `;
  return spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...workbench.env },
  });
}
