import { chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { completeRequest } from "./complete-request.ts";
import { effectiveSettings } from "./effective-settings.ts";
import { loadConfig } from "./load.ts";
import { resolveRuntime } from "./resolve-runtime.ts";

/** Creates a user's home directory with a Halyard home in it, and a working directory. */
async function newPaths(files: Readonly<Record<string, string>> = {}) {
  const top = await temporaryDirectory();
  const cwd = join(top, "work");
  await mkdir(cwd);
  for (const [path, text] of Object.entries(files)) {
    const file = join(top, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return { top, env: { HOME: top }, cwd, home: join(top, ".halyard") };
}

test("chooses pi if there is no configuration file [s1.migration.default-unchanged] [s4.rollback.runtime-absent]", async () => {
  const { top, ...paths } = await newPaths();
  const config = await loadConfig(paths);
  expect(config.warnings).toEqual([]);
  expect(config.server).toEqual({ path: join(top, "work/config/server.json") });
  expect(resolveRuntime(config)).toMatchObject({ runtime: "pi", source: "built-in" });
});

test("reads the files of all three products in one directory [s2.config.server-json] [s2.config.factory-json] [s1.config.registry-file]", async () => {
  const { top, ...paths } = await newPaths({
    "work/config/server.json": `{
      // as Oubliette writes it
      "address": ":8080", "agent_runtime": "auto", "droid": { "default_model": "fast", },
    }`,
    "work/config/factory.json": '{ "api_key": "fk-planted" }',
    "work/config/models.json": '{ "models": { "fast": { "model": "small-1" } } }',
    "work/config/project-defaults.json": '{ "max_recursion_depth": 2, "container_type": "dev" }',
    "work/projects/p1/metadata.json": '{ "id": "p1", "agent_runtime": "opencode" }',
    ".gastown/runtimes.json":
      '{ "default": "claude", "runtimes": { "claude": { "bin": "claude" } } }',
    "work/.gastown/runtime.json": '{ "runtime": "codex" }',
    "work/halyard.json": '{ "agents": { "defaults": { "runtime": "pi" } } }',
    ".halyard/config.json": '{ "model": "fast" }',
  });
  const config = await loadConfig({ ...paths, project: "p1" });
  expect(config).toMatchObject({
    server: {
      path: join(top, "work/config/server.json"),
      value: { address: ":8080", agent_runtime: "auto", droid: { default_model: "fast" } },
    },
    factory: { value: { api_key: "fk-planted" } },
    models: { value: { models: { fast: { model: "small-1" } } }, isTrusted: false },
    projectDefaults: { value: { max_recursion_depth: 2, max_agents_per_session: 50 } },
    project: { value: { agent_runtime: "opencode" } },
    registry: { value: { default: "claude", runtimes: { claude: { bin: "claude" } } } },
    directory: { path: join(top, "work/.gastown/runtime.json"), value: { runtime: "codex" } },
    settings: { value: { agents: { defaults: { runtime: "pi" } } }, isTrusted: false },
    userSettings: { value: { model: "fast" } },
    warnings: [],
  });
});

test("reads the example registry with claude on tmux and codex on stdin [s1.config.registry-example]", async () => {
  const { top: _, ...paths } = await newPaths({
    ".gastown/runtimes.json": `{
      "default": "claude",
      "runtimes": {
        "claude": { "bin": "claude", "ready": "prompt", "delivery": "tmux" },
        "codex": { "bin": "codex", "ready": "warmup", "delivery": "stdin" }
      }
    }`,
  });
  const config = await loadConfig(paths);
  expect(resolveRuntime(config)).toMatchObject({ runtime: "claude", source: "registry" });
  expect(config.registry?.value?.runtimes).toEqual({
    claude: { bin: "claude", ready: "prompt", delivery: "tmux" },
    codex: { bin: "codex", ready: "warmup", delivery: "stdin" },
  });
});

test("finds a rig's file and a project's settings from a subdirectory", async () => {
  const { top, ...paths } = await newPaths({
    "work/.gastown/runtime.json": '{ "runtime": "codex" }',
    "work/halyard.json": '{ "runtime": "claude" }',
    "work/src/deep/file": "",
  });
  const config = await loadConfig({ ...paths, cwd: join(top, "work/src/deep") });
  expect([config.directory?.value, config.settings?.path]).toEqual([
    { runtime: "codex" },
    join(top, "work/halyard.json"),
  ]);
});

test("reads the directory in HALYARD_CONFIG with the projects next to it, and trusts its models.json", async () => {
  const { top, env, ...paths } = await newPaths({
    "srv/config/server.json": '{ "agent_runtime": "codex" }',
    "srv/config/models.json": "{}",
    "srv/projects/p1/metadata.json": '{ "agent_runtime": "droid" }',
  });
  const config = await loadConfig({
    ...paths,
    env: { ...env, HALYARD_CONFIG: join(top, "srv/config") },
    project: "p1",
  });
  expect(config.server?.value?.agent_runtime).toBe("codex");
  expect(config.project?.value?.agent_runtime).toBe("droid");
  expect(config.models?.isTrusted).toBe(true);
});

test("trusts directories below a trusted directory, but not a sibling whose name starts with the same letters", async () => {
  const { top, ...paths } = await newPaths({
    "work/sub/halyard.json": "{}",
    "workshop/halyard.json": "{}",
  });
  await mkdir(paths.home);
  const trust = JSON.stringify({ directories: [join(top, "work")] });
  await writeFile(join(paths.home, "trust.json"), trust);
  const trusted = async (cwd: string) =>
    (await loadConfig({ ...paths, cwd: join(top, cwd) })).settings?.isTrusted;
  expect([await trusted("work/sub"), await trusted("workshop")]).toEqual([true, false]);
});

test("does not use the account in an untrusted directory, even if models.json is the user's own", async () => {
  const { top, ...paths } = await newPaths({
    "work/config/factory.json": '{ "api_key": "fk-theirs" }',
    ".halyard/models.json": '{ "models": {} }',
  });
  const request = { options: {}, labels: {}, env: {} };
  const optionsOf = async (trusted: boolean) => {
    const config = await loadConfig({ ...paths, trusted });
    return completeRequest(config, request, { runtime: "droid", env: {}, isNew: true }).options;
  };
  expect(await optionsOf(false)).toEqual({});
  expect(await optionsOf(true)).toEqual({ factoryApiKey: "fk-theirs" });
});

describe("a runtime that a file in an untrusted directory names", () => {
  const named = (name: string): [string, object][] => [
    ["work/.gastown/runtime.json", { runtime: name }],
    ["work/halyard.json", { runtime: name }],
    ["work/halyard.json", { agents: { defaults: { runtime: name } } }],
    ["work/halyard.json", { agents: { list: [{ id: "main", runtime: name }] } }],
    ["work/config/server.json", { agent_runtime: name }],
  ];
  const decide = async (path: string, content: object, trusted: boolean) => {
    const { top, ...paths } = await newPaths({ [path]: JSON.stringify(content) });
    const config = await loadConfig({ ...paths, cwd: join(top, "work"), trusted });
    const { runtime } = resolveRuntime(config, { agentId: "main" });
    return { runtime, warnings: effectiveSettings(config).warnings, directory: join(top, "work") };
  };

  test.each([...named("gemini"), ...named("my-own"), ...named("acp")])(
    "is ignored with a warning unless it is one of `seedRuntimes`: %s %j",
    async (path, content) => {
      const { runtime, warnings, directory } = await decide(path, content, false);
      expect(runtime).toBe("pi");
      expect(warnings).toEqual([expect.stringContaining(`${directory}${path.slice(4)}`)]);
      expect(warnings[0]).toContain(`halyard trust ${directory}`);
      const { name } = /"(?<name>gemini|my-own|acp)"/.exec(JSON.stringify(content))?.groups ?? {};
      expect(await decide(path, content, true)).toMatchObject({ runtime: name, warnings: [] });
    },
  );

  test.each([...named("codex"), ...named("ccsdk"), ...named("claude-code")])(
    "is used if it is one of `seedRuntimes`, or an alias of one: %s %j",
    async (path, content) => {
      const { runtime, warnings } = await decide(path, content, false);
      expect([JSON.stringify(content).includes(`"${runtime}"`), warnings]).toEqual([true, []]);
    },
  );
});

test.each(["../secrets", "a/b", "..", ".", ".git", "a\\b", ""])(
  "reads no file for the project id %j",
  async (project) => {
    const { top: _, ...paths } = await newPaths({
      "work/secrets/metadata.json": '{ "agent_runtime": "codex" }',
      "work/metadata.json": '{ "agent_runtime": "codex" }',
    });
    expect((await loadConfig({ ...paths, project })).project).toBeUndefined();
  },
);

test("warns about unknown keys with their position", async () => {
  const { top, ...paths } = await newPaths({
    "work/config/server.json": '{\n  "agent_runtime": "codex", "colour": "red" }',
    ".gastown/runtimes.json": '{ "runtimes": { "codex": { "ready": "warmup", "speed": 9 } } }',
  });
  const { warnings, server } = await loadConfig(paths);
  expect(server?.value).toEqual({ agent_runtime: "codex" });
  expect(warnings?.map((line) => line.replace(top, ""))).toEqual([
    "/work/config/server.json:2:39: colour is not a known setting and was ignored",
    "/.gastown/runtimes.json:1:56: runtimes.codex.speed is not a known setting and was ignored",
  ]);
});

test("ignores a server.json that has only unknown keys", async () => {
  const foreign = await newPaths({ "work/config/server.json": '{ "port": 3000 }' });
  const config = await loadConfig(foreign);
  expect(config.server).toEqual({ path: join(foreign.cwd, "config/server.json") });
  expect(config.warnings).toHaveLength(1);
  const ours = await newPaths({ "work/config/server.json": '{ "address": ":1", "port": 3000 }' });
  expect((await loadConfig(ours)).server?.value?.agent_runtime).toBe("auto");
});

test.each([
  [
    "work/config/server.json",
    '{ "agent_runtime": 7 }',
    "agent_runtime: expected string, received number",
  ],
  ["work/config/factory.json", '{ "api_key": ["fk-planted"] }', "api_key: expected string"],
  ["work/.gastown/runtime.json", '{ "runtime": "Codex!" }', "runtime: expected a lower-case name"],
  [
    ".gastown/runtimes.json",
    '{ "runtimes": { "codex": { "delivery": "pigeon" } } }',
    'runtimes.codex.delivery: expected one of "stdin"|"rpc"|"tmux"',
  ],
  [
    "work/halyard.json",
    '{ "agents": { "list": [{ "id": "a", "runtime": "ccsdk", "provider": "openai" }] } }',
    "agents.list.0.provider: ccsdk works with anthropic, zai, openrouter",
  ],
  [
    "work/halyard.json",
    '{ "hooks": [{ "command": "notify" }] }',
    "1:26: hooks.0.command: expected tuple, received string",
  ],
  [
    "work/halyard.json",
    '{ "hooks": [{ "command": ["notify"], "timeoutMs": "1 s", "events": ["OnStart"] }] }',
    '1:69: hooks.0.events.0: expected one of "SessionStart"|"SessionStop"|"OnMessage"|"OnError"',
  ],
  [
    "work/halyard.json",
    '{ "hooks": [{ "command": ["", 7] }] }',
    "1:31: hooks.0.command.1: expected string, received number",
  ],
  [
    "work/halyard.json",
    '{ "hooks": [{ "url": "example.com" }] }',
    "1:22: hooks.0.url: expected an http or https URL",
  ],
  [
    "work/halyard.json",
    '{ "hooks": [{ "cmd": ["notify"] }] }',
    "1:13: hooks.0: expected a hook: an object with command, file or url",
  ],
])("%s: rejects %s with the position and the expected type", async (file, text, message) => {
  const { top, ...paths } = await newPaths({ [file]: text });
  const error = await loadConfig(paths).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "invalid_config" });
  const shown = String(error);
  expect(shown).toContain(`${join(top, file)}:1:`);
  expect(shown).toContain(message);
  expect(shown).not.toContain("planted");
});

test.skipIf(process.getuid?.() !== 0)(
  "ignores files of another user above the working directory, unless the same user owns the working directory",
  async () => {
    const { top, ...paths } = await newPaths({
      "halyard.json": '{ "runtime": "droid" }',
      ".gastown/runtime.json": '{ "runtime": "opencode" }',
    });
    for (const name of ["halyard.json", ".gastown/runtime.json"])
      await chown(join(top, name), 12_345, 12_345);
    const config = await loadConfig(paths);
    expect(config.warnings).toEqual([
      `${join(top, ".gastown/runtime.json")}: belongs to another user, and is ignored`,
      `${join(top, "halyard.json")}: belongs to another user, and is ignored`,
    ]);
    expect(resolveRuntime(config)).toMatchObject({ runtime: "pi", source: "built-in" });
    await chown(paths.cwd, 12_345, 12_345);
    expect(resolveRuntime(await loadConfig(paths)), "as the directory").toMatchObject({
      runtime: "opencode",
    });
  },
);
