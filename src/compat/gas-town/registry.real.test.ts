import { access, mkdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFaults } from "../../../test/compat/check-faults.ts";
import { live, openTown, writeClaude } from "../../../test/compat/gas-town.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";
import {
  type AgentRuntime,
  createAgentRuntime,
  type SessionFilter,
  type SessionHandle,
} from "./index.ts";

const tools = { claude: claudeToolCalls, codex: codexToolCalls };
const env = { GT_SESSION_ID: "gt-abc123", GT_ROLE: "polecat", GT_RIG: "greenplace" };
const initialPrompt = "work on gp-123";
const slow = { timeout: 60_000 };

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const written = async (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

/** Creates a town with the seed's registry. The model works on the bead, greets, and recalls the bead. */
async function openScene(name: "claude" | "codex", options?: Parameters<typeof openTown>[1]) {
  const town = await openTown(undefined, options);
  const { model } = town;
  const workDir = await town.worktree("ivy");
  const shell = tools[name].shell(`printenv GT_SESSION_ID > ${join(workDir, "id.txt")}`);
  model.on(initialPrompt, { toolCalls: [shell] }, { text: "Done." });
  model.on("greet me", { text: "Hello, rig." });
  model.on("which bead", { text: "gp-123." });
  const asked = (text: string) =>
    model.requests.some(({ messages }) => messages.some((message) => message.text.includes(text)));
  return { ...town, workDir, asked };
}

/** Checks that a session works, accepts a message and stops, and that hooks report each of these. */
async function checkSession(
  runtime: AgentRuntime,
  handle: SessionHandle,
  { workDir, asked, received }: Awaited<ReturnType<typeof openScene>>,
  delivery: string,
): Promise<void> {
  const { runtime: name, startedAt, readyAt = "" } = handle;
  const fields = { sessionID: "gt-abc123", workDir, pid: expect.any(Number) };
  expect(handle).toEqual({ runtime: name, ...fields, startedAt, readyAt });
  expect(Date.parse(readyAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
  await expect.poll(() => written(join(workDir, "id.txt")), slow).toBe("gt-abc123\n");
  expect(await runtime.isReady(handle)).toBe(true);
  await checkFilters(runtime, handle);
  const receipt = await runtime.sendMessage(handle, { text: "greet me", timeout: 60_000 });
  expect(receipt).toEqual({ status: "confirmed", delivery });
  await expect.poll(() => asked("greet me"), slow).toBe(true);
  if (delivery !== "rpc") {
    const other = { text: "never", delivery: delivery === "tmux" ? "stdin" : "tmux" } as const;
    await expect(runtime.sendMessage(handle, other)).rejects.toMatchObject({ code: "unsupported" });
  }
  if (delivery === "tmux") {
    const notified = async () =>
      (await received()).find(({ data }) => data.notification_type !== undefined);
    await expect.poll(notified, slow).toMatchObject({
      event: "OnMessage",
      session_id: "gt-abc123",
      data: { role: "runtime", notification_type: "idle_prompt" },
    });
  }
  await runtime.stop(handle, "done");
  expect(await runtime.detectRunning(handle)).toBe(false);
  await expect.poll(async () => (await received()).at(-1)?.event, slow).toBe("SessionStop");
  const [first, ...others] = await received();
  expect(first).toMatchObject({ event: "SessionStart", runtime: handle.runtime, workdir: workDir });
  const messages = others.flatMap(({ event, data }) =>
    event === "OnMessage" && data.role === "user" ? [data.message] : [],
  );
  expect(messages, "each message is reported once").toEqual([
    expect.stringContaining(initialPrompt),
    "greet me",
  ]);
  expect(new Set([first, ...others].map((payload) => payload?.session_id))).toEqual(
    new Set(["gt-abc123"]),
  );
  const native = { claude: ["startup", "other"], codex: [undefined, undefined] };
  const reported = [first?.data.source, others.at(-1)?.data.end_reason];
  expect(reported, "only Claude's hooks report these").toEqual(
    native[handle.runtime === "claude" ? "claude" : "codex"],
  );
}

/** Checks that each filter field selects the session, and that another value does not. */
async function checkFilters(
  runtime: AgentRuntime,
  { runtime: name, sessionID, workDir }: SessionHandle,
): Promise<void> {
  const all = { runtime: name, workDir, rig: "greenplace", role: "polecat", running: true };
  const { rig, role, running } = all;
  const filters: SessionFilter[] = [{}, { runtime: name }, { workDir }, { rig }, { role }, all];
  for (const filter of [...filters, { running }])
    expect(await runtime.listSessions(filter)).toMatchObject([{ sessionID }]);
  const others: SessionFilter[] = [{ runtime: "pi" }, { workDir: "/" }, { rig: "other" }];
  for (const other of [...others, { role: "mayor" }, { running: false }])
    expect(await runtime.listSessions({ ...all, ...other })).toEqual([]);
}

const warmupOf = ({ startedAt, readyAt = "" }: SessionHandle): number =>
  Date.parse(readyAt) - Date.parse(startedAt);

test("start with only a directory waits for the prompt of the registry's default in tmux, and an aborted start leaves no session running", async () => {
  const scene = await openScene("claude", { programs: ["claude"] });
  const { home, workDir } = scene;
  const [waiting, go] = [join(home, "waiting"), join(home, "go")];
  const wait = `until [ -e ${go} ]; do sleep 0.05; done`;
  await writeClaude(home, `echo Loading; touch ${waiting}; ${wait}; exec $claude "$@"`);
  live(scene.env);
  await using runtime = createAgentRuntime();
  let isStarted = false;
  const starting = runtime.start({ workDir, env, initialPrompt }).finally(() => {
    isStarted = true;
  });
  await expect.poll(() => exists(waiting), slow).toBe(true);
  const [loading] = await runtime.listSessions();
  if (loading === undefined) throw new Error("no session");
  expect(await runtime.isReady(loading), "the screen shows no prompt").toBe(false);
  expect(isStarted).toBe(false);
  await writeFile(go, "");
  const handle = await starting;
  expect(handle.runtime).toBe("claude");
  await checkSession(runtime, handle, scene, "tmux");

  await Promise.all([rm(go), rm(waiting)]);
  const patience = new AbortController();
  const { length } = await scene.received();
  const aborted = runtime.start({ workDir, env, initialPrompt }, patience);
  await expect.poll(() => exists(waiting), slow).toBe(true);
  patience.abort();
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  expect(await runtime.listSessions({ running: true })).toEqual([]);
  await runtime[Symbol.asyncDispose]();
  expect(await scene.received(), "a session that did not start has no hooks").toHaveLength(length);
});

test("start with only a directory launches the rig's runtime, from the installed program if the PATH has none", async () => {
  const scene = await openScene("codex");
  const { runtime, workDir, asked, model } = scene;
  await mkdir(join(workDir, "..", ".gastown"));
  await writeFile(join(workDir, "..", ".gastown", "runtime.json"), '{ "runtime": "codex" }');
  const handle = await runtime.start({ workDir, env, initialPrompt });
  expect(handle.runtime).toBe("codex");
  const program = await readlink(`/proc/${handle.pid}/exe`);
  expect(program).toContain(join(await realpath(runtimesDir), "codex"));
  expect(warmupOf(handle), "the registry's warm-up").toBeGreaterThanOrEqual(1_000);
  await checkSession(runtime, handle, scene, "stdin");

  const resumed = await runtime.resume(handle);
  expect(resumed).toMatchObject({ runtime: "codex", sessionID: "gt-abc123" });
  await runtime.sendMessage(resumed, { text: "which bead was it?" });
  await expect.poll(() => asked("which bead"), slow).toBe(true);
  const last = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(last).toContainEqual(expect.stringContaining(initialPrompt));
  await checkFaults(runtime, resumed, scene);
});

test("mode minimal overrides the registry's delivery: Claude Code reads its standard input", async () => {
  const scene = await openScene("claude", { programs: ["claude"] });
  const { home, runtime, workDir, asked, model } = scene;
  const input = join(home, "input");
  await writeClaude(home, `tee -a ${input} | $claude "$@"`);
  const handle = await runtime.start({ workDir, mode: "minimal", env, initialPrompt });
  await checkSession(runtime, handle, scene, "stdin");
  expect(await written(input)).toMatch(/work on gp-123[\s\S]*greet me/);

  const resumed = await runtime.resume(handle);
  expect(resumed).toMatchObject({ runtime: "claude", sessionID: "gt-abc123" });
  await runtime.sendMessage(resumed, { text: "which bead was it?" });
  await expect.poll(() => asked("which bead"), slow).toBe(true);
  const last = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(last).toContainEqual(expect.stringContaining(initialPrompt));
});

test("mode tmux overrides the registry's delivery for Codex, after the registry's warm-up", async () => {
  const scene = await openScene("codex");
  const { runtime, workDir } = scene;
  const options = { workDir, runtimeName: "codex", mode: "tmux" } as const;
  const handle = await runtime.start({ ...options, env, initialPrompt });
  expect(warmupOf(handle)).toBeGreaterThanOrEqual(1_000);
  await checkSession(runtime, handle, scene, "rpc");
});

test("codex with delivery rpc receives messages through a socket, not its standard input [s1.message.delivery-rpc]", async () => {
  const registryOf = (home: string, delivery: string) =>
    JSON.stringify({ runtimes: { codex: { bin: join(home, "codex"), delivery } } });
  const town = await openTown((at) => registryOf(at, "rpc"));
  const { home, model, runtime, worktree } = town;
  const [log, program] = [
    join(home, "started"),
    join(runtimesDir, "codex/node_modules/.bin/codex"),
  ];
  const script = `#!/bin/sh\n[ "$1" = app-server ] && echo "$2 $3 $(readlink /proc/$$/fd/0)" >> ${log}\nexec ${program} "$@"\n`;
  await writeFile(join(home, "codex"), script, { mode: 0o755 });
  model.on("greet", { text: "Hello, rig." });
  const workDir = await worktree("ivy");
  const handle = await runtime.start({ workDir, runtimeName: "codex", mode: "minimal" });
  const message = { text: "greet me", timeout: 60_000 };
  const receipt = await runtime.sendMessage(handle, { ...message, delivery: "rpc" });
  expect(receipt).toEqual({ status: "confirmed", delivery: "rpc" });
  expect(await written(log)).toBe("--listen ws://127.0.0.1:0 /dev/null\n");
  const other = runtime.sendMessage(handle, { ...message, delivery: "stdin" });
  await expect(other).rejects.toMatchObject({ code: "unsupported" });

  await runtime[Symbol.asyncDispose]();
  await writeFile(join(home, ".gastown", "runtimes.json"), registryOf(home, "stdin"));
  await using later = createAgentRuntime({ create: { env: town.env } });
  expect(await later.sendMessage(handle, message)).toMatchObject({ delivery: "rpc" });
  await later.stop(handle, "done");
});
