import { expect, test } from "vitest";
import { withOtherCredentials } from "../programs/environment.ts";
import { presets } from "./acp/agent/presets.ts";
import { createRegistry } from "./registry.ts";

const context = { env: {}, runtimesDir: "/nowhere", detached: false };

test("loads an adapter for each name, even if the runtime is not installed [s0.droid.adapter] [s0.opencode.adapter]", async () => {
  const registry = createRegistry(context, []);
  const names = await registry.names();
  expect(names.slice(0, 7)).toEqual(["acp", "ccsdk", "claude", "codex", "droid", "opencode", "pi"]);
  expect(names.slice(7)).toEqual(presets.map(({ name }) => name));
  for (const name of await registry.names())
    expect(await registry.load(name)).toMatchObject({ name, connect: expect.any(Function) });
});

test("finds a runtime by its aliases, and does not list the aliases", async () => {
  const registry = createRegistry(context, []);
  expect(await registry.resolve("claude-sdk")).toBe("ccsdk");
  expect(await registry.resolve("claude-code")).toBe("claude");
  expect(await registry.resolve("factory")).toBe("droid");
  expect(await registry.resolve("codex")).toBe("codex");
  expect(await registry.resolve("nobody")).toBeUndefined();
  expect(await registry.names()).not.toContain("claude-sdk");
});

test("prefers a registered runtime to an alias", async () => {
  const entries = async () => ({ factory: { bin: "my-factory" } });
  const registry = createRegistry({ ...context, entries }, []);
  expect(await registry.resolve("factory")).toBe("factory");
});

test("checks the credentials that a caller passes, even an empty set, instead of this process's", async () => {
  const env = { HOME: "/nonexistent", OPENAI_API_KEY: "sk-mine", FACTORY_API_KEY: "fk-mine" };
  const envFor = (given: Record<string, string>) => withOtherCredentials(env, given);
  const registry = createRegistry({ ...context, env, envFor }, []);
  const isSignedIn = async (name: string, credentials?: Record<string, string>) =>
    (await registry.load(name, undefined, credentials)).isSignedIn?.();
  expect(await isSignedIn("codex")).toBe(true);
  expect(await isSignedIn("codex", {})).toBe(false);
  expect(await isSignedIn("claude", {})).toBe(false);
  expect(await isSignedIn("claude", { ANTHROPIC_API_KEY: "sk-theirs" })).toBe(true);
  expect(await isSignedIn("pi", { ANTHROPIC_API_KEY: "sk-theirs" })).toBe(true);
  expect(await isSignedIn("codex")).toBe(true);
});
