import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { FactoryFile } from "./files/factory.ts";
import { ServerFile } from "./files/server.ts";
import { SettingsFile } from "./files/settings.ts";
import { resolveRuntime } from "./resolve-runtime.ts";

const server = (value: object) => ({ path: "/config/server.json", value: ServerFile.parse(value) });
const factory = (value: object) => ({
  path: "/config/factory.json",
  value: FactoryFile.parse(value),
});
const strange = { directory: "/work", isTrusted: false };
const settings = (value: object) => ({
  path: "/work/halyard.json",
  value: SettingsFile.parse(value),
  ...strange,
});
const metadata = { path: "/projects/p1/metadata.json", ...strange };
const withKey = factory({ api_key: "fk-planted" });
const decide = (config: Config, request = {}) => {
  const { runtime, source, explicit } = resolveRuntime(config, request);
  return [runtime, source, explicit];
};

test("resolves auto to droid if factory.json has a key [s0.factory.auto-with-key] [s2.config.auto-flow] [s2.goal.detect-by-credentials]", () => {
  const config = { server: server({ agent_runtime: "auto" }), factory: withKey };
  expect(decide(config)).toEqual(["droid", "server", false]);
});

test.each([
  ["no factory.json", undefined],
  ["a factory.json without a key", factory({})],
  ["an empty key", factory({ api_key: "" })],
  ["a key that is null", factory({ api_key: null })],
  ["a blank key", factory({ api_key: "  \n" })],
])("resolves auto to opencode with %s [s0.factory.auto-without-key]", (_, file) => {
  const config = { server: server({ agent_runtime: "auto" }), ...(file && { factory: file }) };
  expect(decide(config)).toEqual(["opencode", "server", false]);
});

test("treats a server.json without a runtime as auto [s0.factory.auto-is-default]", () => {
  expect(decide({ server: server({}), factory: withKey })).toEqual(["droid", "server", false]);
  expect(decide({ server: server({ address: ":1" }) })).toEqual(["opencode", "server", false]);
});

test("ignores the key in factory.json if there is no server.json", () => {
  expect(decide({ factory: withKey })).toEqual(["pi", "built-in", false]);
});

test("uses the runtime that server.json names, with or without a key in factory.json [s0.factory.opencode]", () => {
  expect(decide({ server: server({ agent_runtime: "opencode" }), factory: withKey })).toEqual([
    "opencode",
    "server",
    true,
  ]);
  expect(decide({ server: server({ agent_runtime: "codex" }) })).toEqual(["codex", "server", true]);
});

test("prefers the project's runtime to the server's [s0.override.per-project] [s2.config.project-overrides]", () => {
  const project = { ...metadata, value: { agent_runtime: "opencode" } };
  const config = { server: server({ agent_runtime: "auto" }), factory: withKey, project };
  expect(decide(config, { project: "p1" })).toEqual(["opencode", "project", true]);
  const without = { ...config, project: { ...metadata, value: {} } };
  expect(decide(without, { project: "p1" })).toEqual(["droid", "server", false]);
});

test("resolves a project's auto to droid if factory.json has a key", () => {
  const project = { ...metadata, value: { agent_runtime: "auto" } };
  const config = { server: server({ agent_runtime: "codex" }), factory: withKey, project };
  expect(decide(config, { project: "p1" })).toEqual(["droid", "project", false]);
});

test("chooses the runtime in the agent's entry, then in the defaults, then pi", () => {
  const agents = {
    defaults: { runtime: "ccsdk" },
    list: [{ id: "coder", runtime: "codex" }, { id: "writer" }],
  };
  const config = { settings: settings({ agents }) };
  expect(decide(config, { agentId: "coder" })).toEqual(["codex", "agent", true]);
  expect(decide(config, { agentId: "writer" })).toEqual(["ccsdk", "settings", false]);
  expect(decide(config, { agentId: "nobody" })).toEqual(["ccsdk", "settings", false]);
  expect(decide({ settings: settings({ agents: { list: [{ id: "coder" }] } }) })).toEqual([
    "pi",
    "built-in",
    false,
  ]);
});

test("switches to ccsdk and back by agents.defaults.runtime alone [s4.migration.opt-in-config] [s2.rollback.config-switch]", () => {
  const moved = { settings: settings({ agents: { defaults: { runtime: "ccsdk" } } }) };
  expect(decide(moved)).toEqual(["ccsdk", "settings", false]);
  expect(decide({ settings: settings({ agents: {} }) })).toEqual(["pi", "built-in", false]);
});

test("prefers the rig's runtime to the registry's default [s1.config.rig-file] [s1.config.registry-default]", () => {
  const registry = { path: "/home/runtimes.json", value: { default: "claude", runtimes: {} } };
  const directory = { path: "/rig/.gastown/runtime.json", value: { runtime: "codex" }, ...strange };
  expect(decide({ registry, directory })).toEqual(["codex", "rig", true]);
  expect(decide({ registry })).toEqual(["claude", "registry", false]);
});

test("lists each step with its file and its reason", () => {
  const config: Config = {
    server: server({ agent_runtime: "auto" }),
    factory: withKey,
    directory: { path: "/rig/.gastown/runtime.json", ...strange },
    settings: settings({ agents: { list: [{ id: "writer" }] } }),
    userSettings: { path: "/home/config.json", value: { runtime: "codex" } },
    registry: { path: "/home/runtimes.json", value: { runtimes: {} } },
  };
  const { steps } = resolveRuntime(config, { agentId: "coder" });
  const rows = steps.map((step) => [step.source, step.file, step.decided, step.reason]);
  expect(rows).toEqual([
    ["request", undefined, false, "no runtime was requested"],
    ["session", undefined, false, "no session is resumed, and there is no parent"],
    ["project", undefined, false, "no project was named"],
    ["rig", "/rig/.gastown/runtime.json", false, "the file does not exist"],
    ["agent", "/work/halyard.json", false, "it has no runtime for the agent coder"],
    ["agent", "/home/config.json", false, "it has no runtime for the agent coder"],
    ["settings", "/work/halyard.json", false, "it names no runtime"],
    ["settings", "/work/halyard.json", false, "it names no runtime"],
    [
      "server",
      "/config/server.json",
      true,
      "the value is auto, and /config/factory.json contains a key",
    ],
    ["user", "/home/config.json", false, "it names no runtime"],
    ["user", "/home/config.json", false, "it names codex, but server takes precedence"],
    ["registry", "/home/runtimes.json", false, "it names no runtime"],
    ["built-in", undefined, false, "it names pi, but server takes precedence"],
  ]);
  expect(JSON.stringify(steps)).not.toContain("planted");
});
