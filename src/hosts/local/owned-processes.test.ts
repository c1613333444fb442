import { rm } from "node:fs/promises";
import { expect } from "vitest";
import type { OwnedProcess } from "../../contracts/host.ts";
import { createHostTest } from "../../testing/host-suite/host-test.ts";
import { family, idle, node, readUntil } from "../../testing/host-suite/programs.ts";
import { createLocalHost } from "./index.ts";
import { endOwned, findOwned } from "./owned-processes.ts";
import { healthOfProcess } from "./process-identity.ts";

const test = createHostTest({ createHost: createLocalHost });

async function ownedBy(runDir: string): Promise<OwnedProcess[]> {
  return (await findOwned()).filter((process) => process.runDir === runDir);
}

test("finds a program and its command by the run directory, even after the directory is removed", async ({
  workbench,
}) => {
  const runDir = workbench.newRunDir();
  const process = await workbench.spawn(idle, { runDir });
  await readUntil(process, "ready");
  const found = [{ identity: process.identity, runDir, command: "sleep 1000" }];
  await expect.poll(() => ownedBy(runDir)).toEqual(found); // the shell prints "ready" before it becomes `sleep`
  await rm(runDir, { recursive: true });
  expect(await ownedBy(runDir)).toEqual(found);
  await process.terminate({ graceMs: 0 });
  expect(await ownedBy(runDir)).toEqual([]);
});

test("finds and kills the processes that a program left behind in any session or group", async ({
  workbench,
}) => {
  const runDir = workbench.newRunDir();
  const process = await workbench.spawn(family("process.exit(0)"), { runDir });
  await process.exit;
  const left = await ownedBy(runDir);
  expect(left.map(({ identity }) => identity.pid).sort()).toEqual(workbench.survivors().sort());
  expect(left).toHaveLength(3);
  for (const one of left) await endOwned(one);
  expect(workbench.survivors()).toEqual([]);
});

test("finds a child with an empty environment through its parent", async ({ workbench }) => {
  const runDir = workbench.newRunDir();
  const hides = node(`
    const options = { env: {}, detached: true, stdio: "ignore" };
    require("node:child_process").spawn("/bin/sleep", ["1000"], options).on("spawn", () => console.log("ready"));
    setInterval(() => {}, 1000);
  `);
  const process = await workbench.spawn(hides, { runDir });
  await readUntil(process, "ready");
  expect((await ownedBy(runDir)).map(({ command }) => command)).toContain("/bin/sleep 1000");
});

test("does not signal a process whose start time differs from the recorded one", async ({
  workbench,
}) => {
  const program = await workbench.spawn(idle);
  await readUntil(program, "ready");
  const { identity } = program;
  await endOwned({ identity: { ...identity, startTime: "1" }, runDir: "", command: "" });
  expect(healthOfProcess(identity)).toBe("alive");
});
