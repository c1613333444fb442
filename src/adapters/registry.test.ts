import { expect, test } from "vitest";
import { presets } from "./acp/presets.ts";
import { createRegistry } from "./registry.ts";

const context = { env: {}, runtimesDir: "/nowhere", outlive: false };

test("there is an adapter for each name, whatever is installed [s0.droid.adapter] [s0.opencode.adapter]", async () => {
  const registry = createRegistry(context, []);
  const names = await registry.names();
  expect(names.slice(0, 7)).toEqual(["acp", "ccsdk", "claude", "codex", "droid", "opencode", "pi"]);
  expect(names.slice(7)).toEqual(presets.map(({ name }) => name));
  for (const name of await registry.names())
    expect(await registry.load(name)).toMatchObject({ name, connect: expect.any(Function) });
});

test("a runtime is found by what people call it, and listed by one name only", async () => {
  const registry = createRegistry(context, []);
  expect(await registry.resolve("claude-sdk")).toBe("ccsdk");
  expect(await registry.resolve("claude-code")).toBe("claude");
  expect(await registry.resolve("factory")).toBe("droid");
  expect(await registry.resolve("codex")).toBe("codex");
  expect(await registry.resolve("nobody")).toBeUndefined();
  expect(await registry.names()).not.toContain("claude-sdk");
});

test("what the user has registered goes before what a name stands for", async () => {
  const entries = async () => ({ factory: { bin: "my-factory" } });
  const registry = createRegistry({ ...context, entries }, []);
  expect(await registry.resolve("factory")).toBe("factory");
});
