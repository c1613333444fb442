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
