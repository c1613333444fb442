import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConnectRequest } from "../contracts/adapter.ts";
import { createLocalHost } from "../hosts/local/index.ts";
import type { RuntimeEntry } from "../schema/runtimes/runtime-entry.ts";
import { Limits } from "../schema/session/start-request.ts";
import { sampleRequest } from "../testing/sample-request.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createRegistry } from "./registry.ts";

/** Creates a program that records its arguments and the variable FRUIT, and exits. */
async function newProgram() {
  const root = await temporaryDirectory();
  const bin = join(root, "my-agent");
  const started = join(root, "started");
  await writeFile(bin, `#!/bin/sh\necho "$0" "$FRUIT" "$@" > "${started}"\n`);
  await chmod(bin, 0o755);
  const readStarted = () => readFile(started, "utf8").catch(() => "");
  return { root, bin, readStarted };
}

function registryWith(root: string, entries: Record<string, RuntimeEntry>) {
  const env = { PATH: `${root}:${process.env.PATH}`, HOME: root };
  const context = { env, runtimesDir: join(root, "runtimes"), detached: false };
  return createRegistry({ ...context, entries: async () => entries }, []);
}

async function requestIn(root: string): Promise<ConnectRequest> {
  const directories = { cwd: "work", runDir: "run", stateDir: "state/session" };
  for (const name of Object.values(directories)) await mkdir(join(root, name), { recursive: true });
  return sampleRequest({
    cwd: join(root, directories.cwd),
    runDir: join(root, directories.runDir),
    stateDir: join(root, directories.stateDir),
    host: createLocalHost(),
    model: { id: "m", baseUrl: "http://127.0.0.1:9/v1", apiKey: "k" },
    limits: Limits.parse({ stopMs: 100 }),
  });
}

const programs = ["claude", "codex", "droid", "opencode", "pi"];

test.each(programs)(
  "starts the program in the entry for %s, with its arguments and environment [s1.config.registry-bin]",
  async (name) => {
    const { root, bin, readStarted } = await newProgram();
    const entry = { bin, args: ["--first", "two"], env: { FRUIT: "banana" } };
    const adapter = await registryWith(root, { [name]: entry }).load(name);
    expect(await adapter.probe()).toMatchObject({ available: true });
    const connecting = adapter.connect(await requestIn(root));
    await expect.poll(readStarted, { timeout: 20_000 }).toMatch(`${bin} banana --first two `);
    const connection = await connecting.catch(() => undefined);
    await connection?.[Symbol.asyncDispose]();
  },
);

test.each(programs)(
  "finds the program in the entry for %s by its name on the PATH",
  async (name) => {
    const { root, bin } = await newProgram();
    const adapter = await registryWith(root, { [name]: { bin: "my-agent" } }).load(name);
    const found = await adapter.probe();
    expect(found).toMatchObject({ available: true });
    if ("program" in found) expect(found.program).toBe(bin);
  },
);

test.each(programs)(
  "reports %s as unavailable if the program in its entry does not exist",
  async (name) => {
    const { root } = await newProgram();
    const adapter = await registryWith(root, { [name]: { bin: "no-such-agent" } }).load(name);
    expect(await adapter.probe()).toEqual({
      available: false,
      reason: "the program no-such-agent does not exist",
      hint: `correct "bin" for ${name} in ~/.gastown/runtimes.json`,
    });
  },
);

test("passes the entry's program to the Claude Agent SDK", async () => {
  const { root, bin } = await newProgram();
  const sdk = join(root, "runtimes/ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
  await mkdir(sdk, { recursive: true });
  await writeFile(join(sdk, "package.json"), '{"main":"sdk.mjs","version":"1.2.3"}');
  const query = "({ options }) => { throw new Error(options.pathToClaudeCodeExecutable); }";
  await writeFile(join(sdk, "sdk.mjs"), `export const query = ${query};`);
  const adapter = await registryWith(root, { ccsdk: { bin } }).load("ccsdk");
  const { model: _, ...request } = await requestIn(root);
  await expect(adapter.connect(request)).rejects.toThrow(bin);
});

test("explains how to complete an entry without a program", async () => {
  const root = await temporaryDirectory();
  const adapter = await registryWith(root, { heron: { delivery: "rpc" } }).load("heron");
  expect(await adapter.probe()).toEqual({
    available: false,
    reason: 'its entry in ~/.gastown/runtimes.json has no "bin"',
    hint: 'set "bin" for heron in ~/.gastown/runtimes.json to the path of its program',
  });
  await expect(adapter.connect(await requestIn(root))).rejects.toMatchObject({
    code: "runtime_unavailable",
    message:
      'heron cannot run here: its entry in ~/.gastown/runtimes.json has no "bin". Set "bin" for heron in ~/.gastown/runtimes.json to the path of its program.',
  });
});

test("reports a runtime as unavailable if it does not support the delivery in its entry", async () => {
  const { root, bin } = await newProgram();
  const registry = registryWith(root, {
    opencode: { bin, delivery: "stdin" },
    codex: { bin, delivery: "rpc" },
    claude: { bin, delivery: "rpc" },
    pi: { delivery: "stdin" },
  });
  expect(await (await registry.load("opencode")).probe()).toEqual({
    available: false,
    reason: "OpenCode receives messages through rpc, not through stdin",
    hint: 'correct "delivery" for opencode in ~/.gastown/runtimes.json',
  });
  expect(await (await registry.load("claude")).probe()).toMatchObject({
    available: false,
    reason: "Claude Code receives messages through stdin, not through rpc",
  });
  expect((await registry.load("codex")).inputs, "the chosen delivery first").toEqual([
    "rpc",
    "stdin",
  ]);
  expect((await registry.load("pi")).inputs, "as a process").toEqual(["stdin"]);
  expect((await registryWith(root, {}).load("pi")).inputs, "in this process").toEqual(["rpc"]);
});

test.each(["droid", "gemini", "pi", "ccsdk"])(
  "accepts the delivery rpc for %s, which reads remote procedure calls from standard input",
  async (name) => {
    const { root, bin } = await newProgram();
    const [plain, registered] = await Promise.all(
      [{ bin }, { bin, delivery: "rpc" as const }].map((entry) =>
        registryWith(root, { [name]: { ...entry, protocol: "acp" as const } }).load(name),
      ),
    );
    expect(registered?.inputs).toEqual(["stdin"]);
    expect(registered?.inputAliases).toEqual({ rpc: "stdin" });
    expect(await registered?.probe()).toEqual(await plain?.probe());
  },
);

test("passes the arguments in Codex's entry to its server if the delivery is rpc", async () => {
  const { root, bin, readStarted } = await newProgram();
  const args = ["-c", "a=b"];
  const registry = registryWith(root, { codex: { bin, args, delivery: "rpc" } });
  const adapter = await registry.load("codex");
  const connection = await adapter.connect(await requestIn(root));
  const started = `${bin}  -c a=b app-server --listen ws://127.0.0.1:0 `;
  await expect.poll(readStarted, { timeout: 20_000 }).toContain(started);
  await connection[Symbol.asyncDispose]();
});

test("runs an ACP agent that the user registered", async () => {
  const { root, bin, readStarted } = await newProgram();
  const registry = registryWith(root, {
    mine: { bin, args: ["acp"], env: { FRUIT: "banana" }, protocol: "acp" },
  });
  expect(await registry.names()).toContain("mine");
  const adapter = await registry.load("mine");
  expect(adapter.name).toBe("mine");
  expect(await adapter.probe()).toMatchObject({ available: true, program: bin });
  const { model: _, ...request } = await requestIn(root);
  const connection = await adapter.connect(request);
  await expect.poll(readStarted, { timeout: 20_000 }).toBe(`${bin} banana acp\n`);
  await connection[Symbol.asyncDispose]();
});

test("uses a known ACP agent's defaults for fields that its entry omits", async () => {
  const { root, bin, readStarted } = await newProgram();
  const adapter = await registryWith(root, { kimi: { bin } }).load("kimi");
  expect(await adapter.probe()).toMatchObject({ available: true, program: bin });
  const { model: _, ...request } = await requestIn(root);
  const connection = await adapter.connect(request);
  await expect.poll(readStarted, { timeout: 20_000 }).toBe(`${bin}  acp\n`);
  await connection[Symbol.asyncDispose]();
});

test("runs a program whose entry has the delivery tmux only on a screen", async () => {
  const { root, bin } = await newProgram();
  const registry = registryWith(root, { mine: { bin, delivery: "tmux" } });
  expect(await registry.names()).toContain("mine");
  const adapter = await registry.load("mine");
  expect(await adapter.probe()).toMatchObject({ available: true, program: bin });
  expect(adapter.onScreen).toMatchObject({
    name: "mine",
    inputs: ["tmux"],
    capabilities: ["attach"],
  });
  await expect(adapter.connect(await requestIn(root))).rejects.toMatchObject({
    code: "unsupported",
  });
});

test("returns the same adapter until its entry changes", async () => {
  const { root, bin } = await newProgram();
  const entries: Record<string, RuntimeEntry> = {};
  const registry = registryWith(root, entries);
  const before = await registry.load("codex");
  expect(await registry.load("codex")).toBe(before);
  entries.codex = { bin };
  expect(await registry.load("codex")).not.toBe(before);
});
