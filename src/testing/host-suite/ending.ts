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

/** Far longer than a test may take. */
const NEVER_MS = 600_000;

export function describeEnding(test: HostTest): void {
  test("is told with its exit code", async ({ workbench }) => {
    const process = await workbench.spawn(sh("exit 42"));
    expect(await process.exit).toEqual({ code: 42 });
    expect(await process.health()).toBe("dead");
  });

  test("is told with the signal that caused it", async ({ workbench }) => {
    const process = await workbench.spawn(sh("kill -9 $$"));
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
  });

  test("is asked for first, and what the program says then is kept", async ({ workbench }) => {
    const process = await workbench.spawn(polite);
    await readUntil(process, "ready");
    await process.terminate({ graceMs: NEVER_MS });
    expect(await process.exit).toEqual({ code: 7 });
    expect(String(await readAll(process))).toBe("ready\nbye\n");
  });

  test("is insisted on with a program that ignores the request", async ({ workbench }) => {
    const process = await workbench.spawn(stubborn);
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 200 });
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
    expect(String(await readAll(process))).toBe("ready\nno\n");
  });

  test("comes at once when a second caller has less patience", async ({ workbench }) => {
    const process = await workbench.spawn(stubborn);
    await readUntil(process, "ready");
    const patient = process.terminate({ graceMs: NEVER_MS });
    await readUntil(process, "no");
    await process.terminate({ graceMs: 0 });
    await patient;
    expect(await process.exit).toEqual({ signal: "SIGKILL" });
  });

  test("comes even to a program that was stopped", async ({ workbench }) => {
    const process = await workbench.spawn(sh("echo ready; kill -STOP $$; exec sleep 1000"));
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 50 });
    expect(await process.health()).toBe("dead");
  });

  test("takes along all that the program started, wherever it went", async ({ workbench }) => {
    const process = await workbench.spawn(family("setInterval(() => {}, 1000)"));
    await readUntil(process, "ready");
    expectSurvivors(workbench.survivors(), 4);
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("takes along those that ignore the request", async ({ workbench }) => {
    const ignoring = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(
      `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")`,
    )}], { detached: true, stdio: ["ignore", "inherit", "inherit"] })`;
    const process = await workbench.spawn(node(`${ignoring}; setInterval(() => {}, 1000)`));
    await readUntil(process, "ready");
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("takes along what a program left behind that ended by itself", async ({ workbench }) => {
    const process = await workbench.spawn(family("process.exit(0)"));
    expect(await process.exit).toEqual({ code: 0 });
    expectSurvivors(workbench.survivors(), 3);
    await process.terminate({ graceMs: NEVER_MS });
    expect(workbench.survivors()).toEqual([]);
  });

  test("takes along a program that starts others as fast as it can", async ({ workbench }) => {
    const process = await workbench.spawn(
      sh("trap '' TERM; echo ready; while :; do (sleep 1000 &); sleep 0.001; done"),
    );
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 50 });
    expect(workbench.survivors()).toEqual([]);
  });

  test("can be asked for by many, and again", async ({ workbench }) => {
    const process = await workbench.spawn(idle);
    await readUntil(process, "ready");
    const options = { graceMs: NEVER_MS };
    await Promise.all([process.terminate(options), process.terminate(options)]);
    await process.terminate(options);
    await process[Symbol.asyncDispose]();
    expect(await process.exit).toEqual({ signal: "SIGTERM" });
  });

  test("comes with disposing of it", async ({ workbench }) => {
    const disposed = await workbench.spawn(idle);
    {
      await using process = disposed;
      await readUntil(process, "ready");
    }
    expect(await disposed.health()).toBe("dead");
    expect(workbench.survivors()).toEqual([]);
  });

  test("spares the programs of others", async ({ workbench }) => {
    const [ours, other] = [await workbench.spawn(idle), await workbench.spawn(idle)];
    await ours.terminate({ graceMs: NEVER_MS });
    expect(await other.health()).toBe("alive");
  });
}

/** Where the suite cannot see them, it proves less. */
function expectSurvivors(pids: number[], count: number): void {
  if (process.platform === "linux") expect(pids).toHaveLength(count);
}
