import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { writeParrot } from "../test/screens/parrot.ts";
import { connectHalyard } from "./client/index.ts";
import { createConfigReader } from "./config/reader.ts";
import type { Adapter } from "./contracts/adapter.ts";
import type { Halyard } from "./contracts/halyard.ts";
import { createHalyard } from "./create-halyard.ts";
import type { HalyardOptions } from "./halyard-options.ts";
import { createServer } from "./server/index.ts";
import { fakeAdapter } from "./testing/fake/index.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

/** Returns the fake adapter under another name. */
const standIn = (name: string): Adapter => ({ ...fakeAdapter(), name });

const unavailable = (name: string): Adapter => ({
  ...standIn(name),
  probe: async () => ({ available: false, reason: "it is not there", hint: "fetch it" }),
});

/** The fake adapter with support for the tmux host. */
const screened: Adapter = { ...standIn("screened"), onScreen: standIn("screened") };

/** Serves a Halyard instance over HTTP and returns a client. */
async function served(halyard: Halyard): Promise<Halyard> {
  const token = "a-token-nobody-guesses";
  const listener = await createServer(halyard, { token }).listen({ port: 0 });
  onTestFinished(() => listener.close());
  return connectHalyard(listener.url, { token });
}

const everybody = ["claude", "ccsdk", "codex", "droid", "opencode", "pi"].map(standIn);

async function newMachine(
  files: Readonly<Record<string, string>>,
  options: Pick<HalyardOptions, "adapters" | "store"> = {},
) {
  const root = await temporaryDirectory();
  const cwd = join(root, "work");
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write("work/file", "");
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const env = { HOME: root, PATH: process.env.PATH, DOCKER_HOST: "unix:///nowhere.sock" };
  const home = join(root, "halyard");
  const config = createConfigReader({ env, home });
  const made = { adapters: everybody, store: "memory", ...options } as const;
  const halyard = await createHalyard({ ...made, home, env, config });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const runtimeOf = async (request: { project?: string; labels?: Record<string, string> } = {}) => {
    await using session = await halyard.start({ cwd, ...request });
    return session.info.runtime;
  };
  return { root, cwd, home, env, halyard, write, runtimeOf };
}

test("uses the project's runtime, or the server's if the project sets none [s0.override.explicit] [s0.override.server-default]", async () => {
  const { write, runtimeOf } = await newMachine({
    "work/config/server.json": '{ "agent_runtime": "auto" }',
    "work/config/factory.json": '{ "api_key": "fk-1" }',
    "work/projects/p1/metadata.json": '{ "agent_runtime": "opencode" }',
    "work/projects/p2/metadata.json": "{}",
  });
  expect(await runtimeOf({ project: "p1" })).toBe("opencode");
  await write("work/config/server.json", '{ "agent_runtime": "droid" }');
  expect(await runtimeOf({ project: "p2" })).toBe("droid");
});

test("uses the runtime in the rig's file instead of the default [s1.config.rig-override] [s1.migration.config-resolution]", async () => {
  const { write, runtimeOf } = await newMachine({
    ".gastown/runtimes.json": '{ "default": "claude" }',
  });
  expect(await runtimeOf()).toBe("claude");
  await write("work/.gastown/runtime.json", '{ "runtime": "codex" }');
  expect(await runtimeOf()).toBe("codex");
});

test("starts opencode for every request if it is the only runtime [s3.profile.opencode-only]", async () => {
  const { halyard, cwd, runtimeOf } = await newMachine(
    { "work/config/server.json": '{ "agent_runtime": "opencode" }' },
    { adapters: [standIn("opencode")] },
  );
  expect(await runtimeOf()).toBe("opencode");
  expect(await runtimeOf({ project: "p1", labels: { agent: "main" } })).toBe("opencode");
  await using parent = await halyard.start({ cwd });
  await using child = await halyard.start({ cwd, parent: parent.id });
  expect(child.info.runtime).toBe("opencode");
});

test("uses the parent's runtime for a child, even if the files have changed", async () => {
  const { halyard, cwd, write } = await newMachine({
    "work/config/server.json": '{ "agent_runtime": "codex" }',
  });
  await using parent = await halyard.start({ cwd });
  await write("work/config/server.json", '{ "agent_runtime": "claude" }');
  await using child = await halyard.start({ cwd, parent: parent.id });
  expect(child.info.runtime).toBe("codex");
});

test("keeps the last valid content of a configuration file that becomes incomplete", async () => {
  const { write, runtimeOf } = await newMachine({
    "work/config/server.json": '{ "agent_runtime": "codex" }',
  });
  expect(await runtimeOf()).toBe("codex");
  await write("work/config/server.json", '{ "agent_runt');
  expect(await runtimeOf()).toBe("codex");
});

test("replaces an unavailable default with pi and reports the fallback in the session and its outcomes [s4.factory.fallback]", async () => {
  const { halyard, cwd } = await newMachine(
    { "work/halyard.json": '{ "agents": { "defaults": { "runtime": "ccsdk" } } }' },
    { adapters: [unavailable("ccsdk"), standIn("pi")] },
  );
  await using session = await halyard.start({ cwd });
  const fallback = {
    from: "ccsdk",
    reason: "ccsdk cannot run here: it is not there. Fetch it.",
  };
  expect(session.info).toMatchObject({ runtime: "pi", fallback });
  expect((await session.send("say hello").outcome).metadata).toEqual({ fallback });
});

test.each([
  ["a request", {}, { runtime: "ccsdk" }],
  [
    "an agent's entry",
    { "work/halyard.json": '{ "agents": { "list": [{ "id": "a", "runtime": "ccsdk" }] } }' },
    { labels: { agent: "a" } },
  ],
  ["server.json", { "work/config/server.json": '{ "agent_runtime": "ccsdk" }' }, {}],
  ["a rig", { "work/.gastown/runtime.json": '{ "runtime": "ccsdk" }' }, {}],
])(
  "fails with the reason, without a fallback, if the runtime of %s is unavailable",
  async (_, files, request) => {
    const { halyard, cwd } = await newMachine(files, {
      adapters: [unavailable("ccsdk"), standIn("pi")],
    });
    await expect(halyard.start({ cwd, ...request })).rejects.toMatchObject({
      code: "runtime_unavailable",
      message: "ccsdk cannot run here: it is not there. Fetch it.",
    });
    expect(await halyard.sessions()).toEqual([]);
  },
);

test("rejects an unknown default and lists the known runtimes", async () => {
  const { halyard, cwd } = await newMachine({
    ".gastown/runtimes.json": '{ "default": "emacs" }',
  });
  await expect(halyard.start({ cwd })).rejects.toMatchObject({
    code: "unknown_runtime",
    message: expect.stringMatching(/Unknown runtime "emacs"\. Known: .*codex.*pi/),
  });
});

test("accepts a runtime's alias in a file and in a request, and reports the canonical name", async () => {
  const { halyard, cwd, runtimeOf } = await newMachine({
    ".gastown/runtimes.json": '{ "default": "factory-droid" }',
  });
  expect(await runtimeOf()).toBe("droid");
  await using session = await halyard.start({ cwd, runtime: "claude-sdk" });
  expect(session.info.runtime).toBe("ccsdk");
  expect(await halyard.inspect("claude-code")).toMatchObject({ name: "claude" });
});

test("reads no configuration file if the option config is omitted", async () => {
  const { cwd, env } = await newMachine({
    "work/config/server.json": "{ broken",
    ".gastown/runtimes.json": "{ broken",
    "work/halyard.json": "{ broken",
  });
  const home = join(dirname(cwd), "other");
  await using halyard = await createHalyard({
    home,
    env,
    adapters: [standIn("pi")],
    store: "memory",
  });
  await using session = await halyard.start({ cwd });
  expect(session.info.runtime).toBe("pi");
});

test("uses the runtime in a fixed configuration", async () => {
  const { cwd, env, home } = await newMachine({});
  const config = { server: { path: "given", value: { agent_runtime: "codex" } } };
  const given = { adapters: everybody, store: "memory", config } as const;
  await using halyard = await createHalyard({ home: `${home}2`, env, ...given });
  await using session = await halyard.start({ cwd });
  expect(session.info.runtime).toBe("codex");
});

test("lists a registered runtime only while its entry is in runtimes.json, without a restart", async () => {
  const { halyard, write } = await newMachine({});
  const names = async () => (await halyard.runtimes()).map(({ name }) => name);
  expect(await names()).not.toContain("my-own");
  const mine = '{ "runtimes": { "my-own": { "bin": "my-own", "delivery": "tmux" } } }';
  await write(".gastown/runtimes.json", mine);
  expect(await names()).toContain("my-own");
  await write(".gastown/runtimes.json", "{}");
  expect(await names()).not.toContain("my-own");
});

describe.each([
  ["in process", async (halyard: Halyard) => halyard],
  ["over HTTP", served],
])("the default host of a session, %s", (_, reach) => {
  const start = async (files: Readonly<Record<string, string>>, runtime: string) => {
    const { root, halyard: near, cwd } = await newMachine(files, { adapters: [screened] });
    const bin = await writeParrot(root);
    const parrot = { bin, ready: "prompt", ready_prompt_prefix: ">", delivery: "tmux" };
    const registry = JSON.stringify({ runtimes: { parrot } });
    await mkdir(join(root, ".gastown"), { recursive: true });
    await writeFile(join(root, ".gastown/runtimes.json"), registry);
    const halyard = await reach(near);
    const request = { cwd, runtime, permissions: "allow-all" } as const;
    await using session = await halyard.start(request);
    return session.info.host;
  };

  test("is determined by the registered runtime's delivery", async () => {
    expect(await start({}, "parrot")).toBe("tmux");
  });

  test("is determined by the user's settings, and defaults to local", async () => {
    expect(await start({ "halyard/config.json": '{ "host": "tmux" }' }, "screened")).toBe("tmux");
    expect(await start({}, "screened")).toBe("local");
  });

  test("determines the default policy, which is `allow-all` in a container", async () => {
    const { halyard: near, cwd } = await newMachine(
      { "halyard/config.json": '{ "host": "container" }' },
      { adapters: [standIn("pi")] },
    );
    const halyard = await reach(near);
    await expect(halyard.start({ cwd })).rejects.toMatchObject({ code: "host_unavailable" });
    expect(await halyard.sessions()).toMatchObject([
      { host: "container", permissions: "allow-all", state: "failed" },
    ]);
  });
});

test("starts droid with the key in factory.json, and fails if there is no key or the directory is not trusted [s0.factory.droid]", async () => {
  const { root, halyard, cwd, write } = await newMachine(
    { "work/config/server.json": '{ "agent_runtime": "droid" }' },
    { adapters: [] },
  );
  const program = join(root, "droid");
  await write("droid", `#!/bin/sh\necho "$FACTORY_API_KEY" > "${join(root, "key")}"\n`);
  await chmod(program, 0o755);
  await write(".gastown/runtimes.json", JSON.stringify({ runtimes: { droid: { bin: program } } }));
  await expect(halyard.start({ cwd })).rejects.toMatchObject({
    code: "not_signed_in",
    message: expect.stringContaining("config/factory.json"),
  });
  await write("work/config/factory.json", '{ "api_key": "fk-planted" }');
  await expect(halyard.start({ cwd }), "untrusted").rejects.toMatchObject({
    code: "not_signed_in",
  });
  const session = await halyard.start({ cwd, trust: true });
  expect(session.info.runtime).toBe("droid");
  await expect(session.ready()).rejects.toThrow();
  expect(await readFile(join(root, "key"), "utf8")).toBe("fk-planted\n");
});

test("redacts keys from configuration files and from the request in all events of a turn", async () => {
  const keys = {
    factory: "fk-planted-factory",
    model: "planted-model-key",
    entry: "planted-entry-key",
    option: "planted-option-key",
  };
  const { halyard, cwd } = await newMachine({
    "work/config/factory.json": JSON.stringify({ api_key: keys.factory }),
    "work/config/models.json": JSON.stringify({
      models: { m: { model: "m", apiKey: keys.model } },
    }),
    ".gastown/runtimes.json": JSON.stringify({
      default: "codex",
      runtimes: { codex: { env: { SOME_API_KEY: keys.entry } } },
    }),
  });
  await using session = await halyard.start({ cwd, options: { factoryApiKey: keys.option } });
  const turn = session.send(`say ${Object.values(keys).join(" and ")}`);
  const received: unknown[] = [];
  for await (const event of turn) received.push(event);
  expect((await turn.outcome).status).toBe("completed");
  expect(JSON.stringify(received)).not.toContain("planted");
});
