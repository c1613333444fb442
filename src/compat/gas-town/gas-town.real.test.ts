import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { checkFaults } from "../../../test/compat/check-faults.ts";
import { openTown } from "../../../test/compat/gas-town.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";
import { ListedRuntime, RuntimeReport } from "../../schema/runtimes/runtime-info.ts";

const town = { GT_RIG: "greenplace", GT_ROLE: "polecat", GT_POLECAT: "ivy" };
const minimal = { mode: "minimal", env: town } as const;

const written = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

test("launches Codex with a prompt that runs gt prime, and with the login of its account [s1.codex.bootstrap]", async () => {
  const { home, gt, model, runtime, worktree } = await openTown();
  // By path, because Codex's shell reads the user's profile, which sets another PATH.
  model.on("gt prime", { toolCalls: [codexToolCalls.shell(`${gt} prime`)] }, { text: "I am ivy." });
  const workDir = await worktree("ivy");
  const initialPrompt = "Then look at your hook.";
  await runtime.start({ ...minimal, runtimeName: "codex", workDir, initialPrompt });
  await expect
    .poll(() => written(join(home, "called")), { timeout: 60_000 })
    .toBe("polecat: gt prime\n");
  const received = model.requests[0]?.messages.map(({ text }) => text);
  expect(received).toContainEqual(
    expect.stringMatching(/`gt prime`[\s\S]*Then look at your hook\.$/),
  );

  const accountDir = join(home, "accounts", "ivy");
  const login = join(accountDir, "auth.json");
  await mkdir(accountDir, { recursive: true });
  await writeFile(login, JSON.stringify({ OPENAI_API_KEY: "sk-ivy" }));
  const options = { runtimeName: "codex", mode: "minimal", workDir, accountDir } as const;
  const { sessionID } = await runtime.start(options);
  const link = join(home, ".halyard", "sessions", sessionID, "codex", "auth.json");
  expect(await readlink(link)).toBe(login);
});

test("Claude Code receives both session ids in its environment, stores its session in its account's directory, and is resumed after a SIGKILL [s1.claude.session-id] [s1.env.native-names] [s1.start-options.account-dir]", async () => {
  const { home, model, received, runtime, worktree } = await openTown();
  const command = "echo $GT_SESSION_ID $CLAUDE_SESSION_ID $GT_SESSION_ID_ENV > names.txt";
  model.on("who", { toolCalls: [claudeToolCalls.shell(command)] }, { text: "Now I know." });
  const workDir = await worktree("ivy");
  const accountDir = join(home, "accounts", "ivy");
  const env = { ...town, GT_SESSION_ID: "gt-abc123" };
  const options = { ...minimal, env, runtimeName: "claude", initialPrompt: "who?" };
  const handle = await runtime.start({ ...options, workDir, accountDir });
  const files = () => readdir(accountDir, { recursive: true }).catch((): string[] => []);
  const own = async () => (await files()).find((file) => file.endsWith(".jsonl"));
  await expect.poll(own, { timeout: 60_000 }).toBeDefined();
  const id = basename((await own()) ?? "", ".jsonl");
  await expect
    .poll(() => written(join(workDir, "names.txt")), { timeout: 60_000 })
    .toBe(`gt-abc123 ${id} CLAUDE_SESSION_ID\n`);
  await checkFaults(runtime, handle, { model, received });
});

test("gt runtime lists and checks the installed programs in the seed's registry, and sets the default", async () => {
  const { home, env } = await openTown();
  const user = { home: env.HALYARD_HOME, cwd: home, env };
  const gt = async (...args: string[]): Promise<unknown[]> => {
    const all = ["gt", "runtime", ...args, "--format", "json"];
    const { stdout } = await runWarm(user, all);
    const lines = stdout.split("\n").filter(Boolean);
    return lines.map((line): unknown => JSON.parse(line));
  };
  const listed = async () => (await gt("list")).map((line) => ListedRuntime.parse(line));
  const known = new Map((await listed()).map((one) => [one.name, one]));
  for (const name of ["claude", "codex"])
    expect(known.get(name)).toMatchObject({ availability: { available: true } });
  expect(known.get("claude")?.isDefault).toBe(true);
  expect(await runWarm(user, ["gt", "runtime", "set", "default", "codex"])).toMatchObject({
    exitCode: 0,
  });
  const defaults = (await listed()).filter(({ isDefault }) => isDefault);
  expect(defaults.map(({ name }) => name)).toEqual(["codex"]);
  const reports = (await gt("doctor")).map((line) => RuntimeReport.parse(line));
  const version = expect.stringMatching(/^\d+\.\d+/);
  for (const name of ["claude", "codex"])
    expect(reports.find((report) => report.name === name)).toMatchObject({
      usable: true,
      availability: { available: true, version },
    });
});
