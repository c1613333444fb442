import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, type User } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon } from "../../../test/daemon/scene.ts";
import { newRepository } from "../../../test/workspace/repository.ts";

async function openScene() {
  const repository = await newRepository();
  const user: User = { ...(await newDaemonUser()), cwd: repository.root };
  await startFakeDaemon(user);
  const race = (...args: string[]) =>
    halyard(user, ["race", "-r", "fake", "-r", "mortal", "-p", "allow-all", ...args]);
  return { ...repository, user, race };
}

interface Line {
  readonly runtime: string;
  readonly sessionId: string;
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
  const adopted = await halyard(user, ["adopt", lines[0]?.sessionId ?? ""]);
  expect(adopted).toMatchObject({ exitCode: 0, stdout: `Changed 1 file, +1 -0 in ${root}\n` });
  expect(await readFile(join(root, "port.txt"), "utf8")).toBe("20010\n");
  const sessions = await halyard(user, ["sessions", "--format", "json"]);
  for (const line of sessions.stdout.trim().split("\n"))
    expect(JSON.parse(line)).toMatchObject({
      state: "stopped",
      labels: { race: expect.any(String) },
    });
  const pruned = await halyard(user, ["worktree", "prune", "--park", "--format", "json"]);
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
  expect(stderr).toContain("No winner.");
});

test("reports an agent that fails and one that cannot start", async () => {
  const { race } = await openScene();
  const { exitCode, stdout, stderr } = await race("fail out of tokens");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/\nfake +failed /);
  expect(stderr).toContain("fake: out of tokens");
});

test("warns that requests are denied with the policy ask", async () => {
  const { user } = await openScene();
  const { stderr } = await halyard(user, ["race", "-r", "fake", "say hi"]);
  expect(stderr).toContain("Add -p allow-edits or -p allow-all.");
});
