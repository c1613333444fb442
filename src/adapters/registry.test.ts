import { expect, test } from "vitest";
import { createRegistry } from "./registry.ts";

const context = { env: {}, runtimesDir: "/nowhere", outlive: false };

test("there is an adapter for each name, whatever is installed [s0.droid.adapter] [s0.opencode.adapter]", async () => {
  const registry = createRegistry(context, []);
  expect(registry.names).toEqual(["ccsdk", "claude", "codex", "droid", "opencode", "pi"]);
  for (const name of registry.names)
    expect(await registry.load(name)).toMatchObject({ name, connect: expect.any(Function) });
});
