import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { startInTerminal, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { newRepository } from "../../../test/workspace/repository.ts";

async function openScene() {
  const repository = await newRepository();
  const user: User = { ...(await newDaemonUser()), cwd: repository.root };
  await serveFakeDaemon(user);
  const race = (...args: string[]) =>
    runWarm(user, ["race", "-r", "fake", "-r", "mortal", "-p", "allow-all", ...args]);
  return { ...repository, user, race };
}

interface Line {
  readonly runtime: string;
  readonly sessionId: string;
  readonly branch: string;
  readonly isWinner: boolean;
}

test("runs agents in worktrees, ranks them by the check, and adopts the winner", async () => {
  const { root, git, user, race } = await openScene();
  const prompt = "sh echo $HALYARD_PORT_BASE > port.txt";
  const check = "grep -q 20010 port.txt";
  const { exitCode, stdout } = await race("--check", check, "--format", "json", "-j", "1", prompt);
  expect(exitCode).toBe(0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line): Line => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      runtime: "mortal",
      state: "done",
      outcome: "completed",
      check: { passed: true },
      changes: { files: 1, insertions: 1, deletions: 0 },
      isWinner: true,
    },
    { runtime: "fake", check: { passed: false }, changes: { files: 1 }, isWinner: false },
  ]);
  expect(await git("status", "-s")).toBe("");
  const adopted = await runWarm(user, ["adopt", lines[0]?.sessionId ?? ""]);
  expect(adopted).toMatchObject({ exitCode: 0, stdout: `Changed 1 file, +1 -0 in ${root}\n` });
  expect(await readFile(join(root, "port.txt"), "utf8")).toBe("20010\n");
  const sessions = await runWarm(user, ["sessions", "--format", "json"]);
  for (const line of sessions.stdout.trim().split("\n"))
    expect(JSON.parse(line)).toMatchObject({
      state: "stopped",
      labels: { race: expect.any(String) },
    });
  const pruned = await runWarm(user, ["worktree", "prune", "--park", "--format", "json"]);
  expect(
    pruned.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { removed: true, parked: expect.any(String) },
    { removed: true, parked: expect.any(String) },
  ]);
});

test("prints lines and a table without a console, and exits with 1 if no agent wins", async () => {
  const { race } = await openScene();
  const { exitCode, stdout, stderr } = await race(
    "--check",
    "echo 3 tests failed; false",
    "say hi",
  );
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^RUNTIME +RESULT +DIFF +TIME/);
  expect(stdout).toMatch(/\n(fake|mortal) +check failed +0 files \+0 -0 /);
  expect(stderr).toMatch(/^fake: starting\n/m);
  expect(stderr).toMatch(/^mortal: checking \(ses_\w+\)\n/m);
  expect(stderr).toContain("3 tests failed");
  expect(stderr).toContain("No winner: no agent changed a file.");
});

test("reports the error of an agent whose turn fails", async () => {
  const { race } = await openScene();
  const { exitCode, stdout, stderr } = await race("fail out of tokens");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/\nfake +failed /);
  expect(stderr).toContain("fake: out of tokens");
});

test("warns that the policy ask denies all requests", async () => {
  const { user } = await openScene();
  const { stderr } = await runWarm(user, ["race", "-r", "fake", "say hi"]);
  expect(stderr).toContain("Add -p allow-edits or -p allow-all.");
});

test("redraws a table on a console while the race runs, and Ctrl-C cancels it", async () => {
  const { user } = await openScene();
  const cli = startInTerminal(user, "race -r fake -r mortal -p allow-all -j 1 wait".split(" "));
  await cli.says(/fake +running .*\s+mortal +waiting/);
  cli.process.stdin.write("\x03");
  expect((await cli.finished).exitCode).toBe(130);
  const [last = "", ...earlier] = cli.stdout.split("\x1b[3A\x1b[0J").toReversed();
  expect(earlier.length).toBeGreaterThan(2);
  for (const shown of earlier) expect(shown).toMatch(/RUNTIME .*\s+fake .*\s+mortal /);
  expect(last).toMatch(/fake +cancelled/);
  expect(last).toMatch(/mortal +did not start/);
  expect(last).toContain("mortal: The race was cancelled.");
  const sessions = await runWarm(user, ["sessions", "--format", "json"]);
  expect(
    sessions.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ runtime: "fake", state: "stopped" }]);
});

test("ends a check after its time limit", async () => {
  const { user } = await openScene();
  const limited = ["--check", "sleep 1000", "--check-timeout", "0.2"];
  const args = ["race", "-r", "fake", "-p", "allow-all", ...limited, "sh echo x > x"];
  const { exitCode, stderr } = await runWarm(user, args);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("fake: The check did not finish within 0.2 s.");
  expect(stderr).toContain('or "halyard adopt SESSION"');
});

test("rejects adopting a winner whose changes conflict, and keeps all worktrees until they are pruned with --park", async () => {
  const { user, race, git, commit } = await openScene();
  const prompt = "sh echo $HALYARD_PORT_BASE > a.txt";
  const check = ["--check", "grep -q 20010 a.txt"];
  const { stdout } = await race(...check, "--format", "json", "-j", "1", prompt);
  const [winner, loser] = stdout
    .trim()
    .split("\n")
    .map((line): Line => JSON.parse(line));
  expect([winner?.isWinner, loser?.isWinner]).toEqual([true, false]);
  await commit("a.txt", "mine\n");
  const adopted = await runWarm(user, ["adopt", winner?.sessionId ?? ""]);
  expect(adopted).toMatchObject({ exitCode: 1, stdout: "" });
  expect(adopted.stderr).toContain("a.txt");
  expect(await git("status", "-s")).toBe("");
  expect(await git("show", "HEAD:a.txt")).toBe("mine");

  const states = async (...args: string[]) => {
    const pruned = await runWarm(user, ["worktree", ...args, "--format", "json"]);
    const lines = pruned.stdout.trim().split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  };
  const dirty = { state: "dirty", removed: false };
  expect(await states("prune")).toMatchObject([dirty, dirty]);
  expect(await states("prune", "--park")).toMatchObject([{ removed: true }, { removed: true }]);
  expect(await states("list")).toEqual([]);
  for (const { branch } of [winner, loser].flatMap((one) => one ?? []))
    expect(await git("show", `${branch}:a.txt`)).toMatch(/^200[01]0$/);
});
