import { expect } from "vitest";
import type { HostTest } from "./host-test.ts";
import { family, idle, node, readAll, readUntil, sh } from "./programs.ts";

const polite = node(`
  process.on("SIGTERM", () => { console.log("bye"); process.exit(7); });
  setInterval(() => {}, 1000);
  console.log("ready");
`);

const stubborn = node(`
  process.on("SIGTERM", () => console.log("no"));
  setInterval(() => {}, 1000);
  console.log("ready");
`);

/** A duration in milliseconds that is longer than any test. */
const NEVER_MS = 600_000;

/** Tests the exit and termination of programs. */
export function describeEnding(test: HostTest): void {
  test("reports a program's exit code", async ({ workbench }) => {
    const process = await workbench.spawn(sh("exit 42"));
    expect(await process.exit).toEqual({ code: 42 });
    expect(await process.health()).toBe("dead");
  });

  test("reports the signal that killed a program", async ({ workbench }) => {
    const process = await workbench.spawn(sh("kill -9 $$"));
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
  });

  test("sends SIGTERM first, and keeps the output that follows", async ({ workbench }) => {
    const process = await workbench.spawn(polite);
    await readUntil(process, "ready");
    await process.terminate({ graceMs: NEVER_MS });
    expect(await process.exit).toEqual({ code: 7 });
    expect(String(await readAll(process))).toBe("ready\nbye\n");
  });

  test("kills a program that ignores SIGTERM", async ({ workbench }) => {
    const process = await workbench.spawn(stubborn);
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 200 });
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
    expect(String(await readAll(process))).toBe("ready\nno\n");
  });

  test("uses the shortest grace period if several callers terminate a program", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(stubborn);
    await readUntil(process, "ready");
    const patient = process.terminate({ graceMs: NEVER_MS });
    await readUntil(process, "no");
    await process.terminate({ graceMs: 0 });
    await patient;
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
  });

  test("terminates a program that SIGSTOP has stopped", async ({ workbench }) => {
    const process = await workbench.spawn(sh("echo ready; kill -STOP $$; exec sleep 1000"));
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 50 });
    expect(await process.health()).toBe("dead");
  });

  test("terminates all processes that the program started", async ({ workbench }) => {
    const process = await workbench.spawn(family("setInterval(() => {}, 1000)"));
    await readUntil(process, "ready");
    expectSurvivors(workbench.survivors(), 4);
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("kills children that ignore SIGTERM", async ({ workbench }) => {
    const ignoring = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(
      `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")`,
    )}], { detached: true, stdio: ["ignore", "inherit", "inherit"] })`;
    const process = await workbench.spawn(node(`${ignoring}; setInterval(() => {}, 1000)`));
    await readUntil(process, "ready");
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("terminates the processes that an exited program left behind", async ({ workbench }) => {
    const process = await workbench.spawn(family("process.exit(0)"));
    expect(await process.exit).toEqual({ code: 0 });
    expectSurvivors(workbench.survivors(), 3);
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("terminates a program that spawns processes continuously", async ({ workbench }) => {
    const process = await workbench.spawn(
      sh("trap '' TERM; echo ready; while :; do (sleep 1000 &); sleep 0.001; done"),
    );
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 50 });
    expect(workbench.survivors()).toEqual([]);
  });

  test("accepts concurrent and repeated termination requests", async ({ workbench }) => {
    const process = await workbench.spawn(idle);
    await readUntil(process, "ready");
    const options = { graceMs: NEVER_MS };
    await Promise.all([process.terminate(options), process.terminate(options)]);
    await process.terminate(options);
    await process[Symbol.asyncDispose]();
    expect(await process.exit).toEqual({ signal: "SIGTERM" });
  });

  test("terminates a program on disposal", async ({ workbench }) => {
    const disposed = await workbench.spawn(idle);
    {
      await using process = disposed;
      await readUntil(process, "ready");
    }
    expect(await disposed.health()).toBe("dead");
    expect(workbench.survivors()).toEqual([]);
  });

  test("does not terminate other programs", async ({ workbench }) => {
    const [ours, other] = [await workbench.spawn(idle), await workbench.spawn(idle)];
    await ours.terminate({ graceMs: NEVER_MS });
    expect(await other.health()).toBe("alive");
  });
}

/** Checks the number of processes. Skipped on systems where the suite cannot list processes. */
function expectSurvivors(pids: number[], count: number): void {
  if (process.platform === "linux") expect(pids).toHaveLength(count);
}
