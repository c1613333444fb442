import { expect, test } from "vitest";
import { RegistryFile } from "../compat/gas-town/files/registry.ts";
import { RigFile } from "../compat/gas-town/files/rig.ts";
import type { HostName } from "../schema/host.ts";
import type { Config } from "./config.ts";
import { ProjectFile } from "./files/project.ts";
import { SettingsFile } from "./files/settings.ts";
import { chooseHost, type HostRequest, untrustedHosts } from "./host-choice.ts";

const trusted = { directory: "/work", isTrusted: true };
const project = (host: HostName) => ({
  path: "/work/projects/p1/metadata.json",
  value: ProjectFile.parse({ host }),
  ...trusted,
});
const rig = (host: HostName) => ({
  path: "/work/.gastown/runtime.json",
  value: RigFile.parse({ host }),
  ...trusted,
});
const settings = (value: object) => ({
  path: "/work/halyard.json",
  value: SettingsFile.parse(value),
  ...trusted,
});
const userSettings = (value: object) => ({
  path: "/home/config.json",
  value: SettingsFile.parse(value),
});
const registry = (runtimes: object) => ({
  path: "/home/runtimes.json",
  value: RegistryFile.parse({ runtimes }),
});

const all: ReadonlySet<HostName> = new Set(["local", "tmux", "container"]);
const tmuxDelivery = registry({ claude: { delivery: "tmux" }, codex: { delivery: "stdin" } });

function choose(config: Config, request: Partial<HostRequest> = {}, runtime = "claude") {
  return chooseHost(config, { labels: {}, ...request }, { runtime, hosts: all });
}

test("takes the host from the request, project, rig, agent, halyard.json or user settings, in this order, and defaults to local", () => {
  const agents = { list: [{ id: "coder", host: "tmux" }] };
  const coder = { labels: { agent: "coder" } };
  let config: Config = {
    project: project("container"),
    directory: rig("local"),
    settings: settings({ host: "container", agents }),
    userSettings: userSettings({ host: "tmux", agents: { list: [] } }),
  };
  expect(choose(config, { ...coder, host: "tmux" })).toBe("tmux");
  expect(choose(config, coder)).toBe("container");
  config = without(config, "project");
  expect(choose(config, coder)).toBe("local");
  config = without(config, "directory");
  expect(choose(config, coder)).toBe("tmux");
  expect(choose(config, { labels: { agent: "another" } })).toBe("container");
  config = without(config, "settings");
  expect(choose(config, coder)).toBe("tmux");
  expect(choose(without(config, "userSettings"), coder)).toBe("local");
});

test("applies agents.defaults to agents without a host", () => {
  const agents = { defaults: { host: "tmux" }, list: [{ id: "coder" }] };
  const config = { settings: settings({ agents, host: "container" }) };
  expect(choose(config, { labels: { agent: "coder" } })).toBe("tmux");
});

test("prefers tmux for a runtime with delivery tmux to the user's default [s1.config.registry-delivery]", () => {
  const config = { registry: tmuxDelivery };
  expect(choose(config)).toBe("tmux");
  expect(choose(config, {}, "codex")).toBe("local");
  expect(choose({ ...config, userSettings: userSettings({ host: "container" }) })).toBe("tmux");
});

test("prefers the host in a request or in a rig's settings to the delivery in the runtime registry", () => {
  const config = { registry: tmuxDelivery };
  expect(choose(config, { host: "local" })).toBe("local");
  expect(choose(config, { host: "tmux" }, "codex")).toBe("tmux");
  expect(choose({ ...config, directory: rig("container") })).toBe("container");
});

test("rejects a host that is not available", () => {
  const hosts: ReadonlySet<HostName> = new Set(["local"]);
  const start = (config: Config) =>
    chooseHost(config, { labels: {} }, { runtime: "claude", hosts });
  expect(() => start({ registry: tmuxDelivery })).toThrow(
    "The host tmux (set by claude in ~/.gastown/runtimes.json) is not available on this machine",
  );
  expect(() => start({ directory: rig("tmux") })).toThrow(
    "The host tmux (set by /work/.gastown/runtime.json) is not available on this machine",
  );
});

test("ignores the host that an untrusted directory names, and returns a warning", () => {
  const strange = { directory: "/work", isTrusted: false };
  const config: Config = {
    project: { ...project("local"), ...strange },
    directory: { ...rig("local"), ...strange },
    settings: { ...settings({ agents: { list: [{ id: "a", host: "local" }] } }), ...strange },
    userSettings: userSettings({ host: "container" }),
  };
  expect(choose(config, { labels: { agent: "a" } })).toBe("container");
  const because =
    'names the host local, which is ignored: /work is not trusted. If you know who wrote it, run "halyard trust /work".';
  expect(untrustedHosts(config)).toEqual([
    `/work/projects/p1/metadata.json ${because}`,
    `/work/.gastown/runtime.json ${because}`,
    `/work/halyard.json ${because}`,
  ]);
  expect(untrustedHosts({ directory: rig("tmux"), settings: settings({ host: "tmux" }) })).toEqual(
    [],
  );
});

function without(config: Config, file: keyof Config): Config {
  const { [file]: _, ...rest } = config;
  return rest;
}

test("accepts container options only if the request or the user's settings name the container host", () => {
  const container = { network: "none" };
  const refusal = {
    code: "invalid_input",
    message:
      "container.network: the host local has no container. Choose the container host (--host container), or remove the option.",
  };
  expect(() => choose({}, { container })).toThrow(expect.objectContaining(refusal));
  const elsewhere = { host: "tmux", container: { image: "a" } } as const;
  expect(() => choose({}, elsewhere)).toThrow(/^container\.image: the host tmux has no container/);
  expect(choose({}, { container: {} })).toBe("local");
  expect(choose({}, { host: "container", container })).toBe("container");
  expect(choose({ userSettings: userSettings({ host: "container" }) }, { container })).toBe(
    "container",
  );
});
