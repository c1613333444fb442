import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { runCheck } from "./check.ts";

const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-secret" };
const worktree = { path: "/", branch: "b", base: "c", origin: "/", portBase: 20_050 };

test("runs a check in the session's directory, with its ports but without keys, and reports success if the exit code is 0", async () => {
  const cwd = await temporaryDirectory();
  const command = 'pwd; echo "$HALYARD_PORT_BASE [$ANTHROPIC_API_KEY]" >&2; exit 0 || exit 1';
  const result = await runCheck(command, { cwd, worktree }, { env, timeoutMs: 10_000 });
  expect(result.passed).toBe(true);
  expect(result.output.split("\n").toSorted()).toEqual(["20050 []", cwd].toSorted());
});

test("fails if the check exits with another code, and keeps the end of the output", async () => {
  const cwd = await temporaryDirectory();
  const command = "for i in $(seq 9000); do echo line $i; done; exit 3";
  const { passed, output } = await runCheck(command, { cwd }, { env, timeoutMs: 20_000 });
  expect(passed).toBe(false);
  expect(output.length).toBeLessThanOrEqual(20_000);
  expect(output).toMatch(/line 9000$/);
});

test.each([
  ["exit 3", "The check exited with code 3 without output."],
  ["kill -9 $$", "The check was killed by SIGKILL without output."],
])("reports how a check without output failed: %s", async (command, output) => {
  const cwd = await temporaryDirectory();
  const result = await runCheck(command, { cwd }, { env, timeoutMs: 20_000 });
  expect(result).toEqual({ passed: false, output });
});

test("kills a check that exceeds its time limit, with all of its processes", async () => {
  const cwd = await temporaryDirectory();
  const command = "sleep 1000 & echo $! > pid; wait";
  const { passed, output } = await runCheck(command, { cwd }, { env, timeoutMs: 500 });
  expect({ passed, output }).toEqual({
    passed: false,
    output: "The check did not finish within 0.5 s.",
  });
  await gone(cwd);
});

test("ends when the shell exits, and kills processes that the shell left in the background", async () => {
  const cwd = await temporaryDirectory();
  const command = "sleep 1000 & echo $! > pid";
  expect(await runCheck(command, { cwd }, { env, timeoutMs: 20_000 })).toMatchObject({
    passed: true,
  });
  await gone(cwd);
});

async function gone(cwd: string): Promise<void> {
  const pid = Number(await readFile(join(cwd, "pid"), "utf8"));
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
}
