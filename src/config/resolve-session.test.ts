import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { ServerFile } from "./files/server.ts";
import { SettingsFile } from "./files/settings.ts";
import { type Resolvable, type ResolveOptions, resolveSession } from "./resolve-session.ts";

const server = (value: object) => ({ path: "server.json", value: ServerFile.parse(value) });
const settings = (value: object, isTrusted = false) => ({
  path: "halyard.json",
  directory: "/work",
  isTrusted,
  value: SettingsFile.parse(value),
});
const userSettings = (value: object) => ({ path: "config.json", value: SettingsFile.parse(value) });

const bare: Resolvable = { labels: {}, options: {}, env: {} };

function resolve(config: Config, request: Partial<Resolvable> = {}, options = {}) {
  return resolveSession(config, { ...bare, ...request }, { ...usual, ...options });
}

const usual: ResolveOptions = {
  env: {},
  isNew: true,
  hosts: new Set(["local", "tmux", "container"]),
  takesEndpoints: async () => true,
};

test("names the sources of the runtime, model, permissions and host", async () => {
  const config = {
    settings: settings({ permissions: "deny", model: "small-1" }),
    userSettings: userSettings({ runtime: "codex", host: "tmux" }),
  };
  expect(await resolve(config)).toMatchObject({
    decision: { runtime: "codex", source: "user" },
    request: { model: { id: "small-1" }, permissions: "deny", host: "tmux" },
    sources: { model: "halyard.json", permissions: "halyard.json", host: "config.json" },
  });
});

test("prefers the request to the files, and the files to the defaults", async () => {
  const config = { userSettings: userSettings({ permissions: "allow-edits", host: "container" }) };
  const { request, sources } = await resolve(config, { permissions: "ask", host: "local" });
  expect(request).toMatchObject({ permissions: "ask", host: "local" });
  expect(sources).toMatchObject({ permissions: "request", host: "request" });
  expect((await resolve(config)).request.permissions).toBe("allow-edits");
  expect((await resolve({})).request).toMatchObject({ permissions: "ask", host: "local" });
  expect((await resolve({}, { host: "container" })).request.permissions).toBe("allow-all");
});

test("lets an untrusted file restrict permissions but not loosen them", async () => {
  const loose = { settings: settings({ permissions: "allow-all" }) };
  expect((await resolve(loose)).request.permissions).toBe("ask");
  const strict = { settings: settings({ permissions: "deny" }) };
  expect((await resolve(strict)).request.permissions).toBe("deny");
  const trusted = { settings: settings({ permissions: "allow-all" }, true) };
  expect((await resolve(trusted)).request.permissions).toBe("allow-all");
});

test("returns pi as the fallback for a default, and no fallback for an explicit choice", async () => {
  const choose = async (config: Config, request = {}, options = {}) => {
    const { decision, fallback } = await resolve(config, request, options);
    return [decision.runtime, fallback];
  };
  const byDefault = { settings: settings({ agents: { defaults: { runtime: "ccsdk" } } }) };
  expect(await choose(byDefault)).toEqual(["ccsdk", "pi"]);
  expect(await choose(byDefault, { runtime: "ccsdk" })).toEqual(["ccsdk", undefined]);
  const listed = { settings: settings({ agents: { list: [{ id: "a", runtime: "ccsdk" }] } }) };
  expect(await choose(listed, { labels: { agent: "a" } })).toEqual(["ccsdk", undefined]);
  expect(await choose({ server: server({ agent_runtime: "droid" }) })).toEqual([
    "droid",
    undefined,
  ]);
  expect(await choose({})).toEqual(["pi", undefined]);
  expect(await choose({}, {}, { lastResort: "parrot" })).toEqual(["parrot", undefined]);
});

test("lists the instance's default runtime as the last step of the decision, even if another source takes precedence", async () => {
  const lastStep = async (config: Config) => {
    const { decision } = await resolve(config, {}, { lastResort: "parrot" });
    return decision.steps.at(-1);
  };
  expect(await lastStep({})).toEqual({
    source: "built-in",
    runtime: "parrot",
    decided: true,
    reason: "no other source names a runtime",
  });
  expect(await lastStep({ userSettings: userSettings({ runtime: "codex" }) })).toEqual({
    source: "built-in",
    runtime: "parrot",
    decided: false,
    reason: "it names parrot, but user takes precedence",
  });
});

test("uses the runtime of the resumed session or the parent unless the request names one", async () => {
  const config = { settings: settings({ runtime: "unknown-agent" }) };
  const session = { id: "ses_1", runtime: "codex" };
  expect(await resolve(config, {}, { session })).toMatchObject({
    decision: { runtime: "codex", source: "session", explicit: true },
    warnings: [],
  });
  expect(await resolve(config, { runtime: "claude" }, { session })).toMatchObject({
    decision: { runtime: "claude", source: "request" },
  });
});
