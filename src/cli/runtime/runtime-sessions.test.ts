import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";

/** Writes a session as Pi does if the user runs it without Halyard. */
async function recordNatively({ env, cwd }: User, id: string, text: string, directory = cwd) {
  const folder = join(env.HOME ?? "", ".pi", "agent", "sessions", "--project--");
  await mkdir(folder, { recursive: true });
  const content = [{ type: "text", text }];
  const entries = [
    { type: "session", version: 3, id, cwd: directory },
    { type: "message", message: { role: "user", content } },
  ];
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(join(folder, `2026-11-18_${id}.jsonl`), lines.join(""));
}

async function newPiUser(): Promise<User> {
  const user = await newUser();
  await recordNatively(user, "heron-1", "Fix the \u001b[31mtests");
  await recordNatively(user, "heron-2", "Fix the docs", "/elsewhere");
  return user;
}

test("lists the sessions of this directory, or of all directories", async () => {
  const user = await newPiUser();
  const here = await runWarm(user, ["runtime", "sessions", "pi"]);
  expect(here).toMatchObject({ exitCode: 0, stderr: "" });
  expect(here.stdout).toMatch(/^ID +ACTIVE +TITLE\nheron-1 +\S+( \w+)? +Fix the \P{Cc}*tests\n$/u);
  const all = await runWarm(user, ["runtime", "sessions", "pi", "--all", "--format", "json"]);
  const sessions = all.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(sessions).toHaveLength(2);
  expect(sessions).toContainEqual({
    id: "heron-2",
    title: "Fix the docs",
    cwd: "/elsewhere",
    updatedAt: expect.any(String),
  });
  const none = await runWarm(user, ["runtime", "sessions", "pi", "--cwd", "/nowhere"]);
  expect(none).toMatchObject({ exitCode: 0, stdout: "" });
  expect(none.stderr).toContain("Add --all to list the sessions of all directories.");
});

test.each([
  [
    "an unknown id",
    ["--from", "tern"],
    /no session tern without Halyard\. Run "halyard runtime sessions pi --all"/,
  ],
  [
    "an ambiguous id",
    ["--from", "heron"],
    /several sessions of pi start with heron: heron-\d, heron-\d/,
  ],
  [
    "a session of another directory",
    ["--from", "heron-2"],
    /started in \/elsewhere\. Add "--cwd \/elsewhere"/,
  ],
  [
    "a container",
    ["--from", "heron-1", "--host", "container"],
    /A container has no access to the records of pi/,
  ],
])("rejects --from with %s", async (_, flags, message) => {
  const user = await newPiUser();
  const { exitCode, stderr } = await runWarm(user, ["run", "-r", "pi", ...flags, "Hi"]);
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(message);
});

test("lists the sessions of an ACP agent, and continues a copy of one", async () => {
  const user = await newUser();
  const agent = fileURLToPath(new URL("../../../test/acp/sdk-agent/main.mjs", import.meta.url));
  const acp = ["--command", `${process.execPath} ${agent} list fork`];
  const list = await runWarm(user, ["runtime", "sessions", "acp", "--all", "-n", "1", ...acp]);
  expect(list.stdout).toMatch(/\nheron-2 +.*\/even +Session 2\n$/);
  const flags = ["--from", "heron-2", "--cwd", ".", "--format", "quiet"];
  const run = await runWarm(user, ["run", "-r", "acp", ...acp, ...flags, "what?"]);
  expect(run).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(run.stdout)).toMatchObject({ fork: { sessionId: "heron-2" } });
});
