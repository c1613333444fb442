import { expect, test } from "vitest";
import { createRegistry } from "../../src/adapters/registry.ts";
import { startLanguageServer } from "./language-server.ts";
import { openPublicTypes } from "./public-types.ts";

const registry = createRegistry({ env: {}, runtimesDir: "/nowhere", detached: false }, []);

test("RuntimeOptions declares options for every built-in runtime, and for no other", async () => {
  using types = openPublicTypes();
  const known = types.checker.getPropertiesOfType(types.named("RuntimeOptions"));
  expect(known.map(({ name }) => name).sort()).toEqual([...(await registry.names())].sort());
});

test.each([
  "index.d.ts",
  "adapter-kit/index.d.ts",
  "client/index.d.ts",
  "server/index.d.ts",
  "compat/oubliette/index.d.ts",
  "compat/gas-town/index.d.ts",
  "compat/openclaw/index.d.ts",
  "testing/index.d.ts",
])("accepts undefined for every optional property of the options that %s exports", (entry) => {
  using types = openPublicTypes(entry);
  const names = types.names.filter((name) => /(?:Options|Request|Filter|Paths|Params)$/.test(name));
  expect(names).not.toEqual([]);
  // Excluded, because callers do not create these values: an adapter receives the first and passes it on as the second.
  const received = ["ConnectRequest", "NativeStreamOptions"];
  const exact = names
    .filter((name) => !received.includes(name))
    .flatMap((name) =>
      types.checker
        .getPropertiesOfType(types.named(name))
        .map((property) => ({ name, property, text: types.declarationOf(property) }))
        .filter(({ text }) => /^(?:readonly )?\w+\?:/.test(text) && !/undefined;?$/.test(text))
        .map(({ property }) => `${name}.${property.name}`),
    );
  expect(exact).toEqual([]);
});

test("completes runtime names and their options in an editor", async () => {
  const text = `import { createHalyard, type StartRequest } from "halyard";
const halyard = await createHalyard();
await halyard.start({ cwd: ".", runtime: "claude" });
await halyard.start({ cwd: ".", runtime: "codex", options: { config: {} } });
const request: StartRequest = { cwd: ".", runtime: "droid" };
await halyard.inspect("pi");
`;
  await using server = await startLanguageServer(text);
  const names = await registry.names();
  for (const marker of [
    'runtime: "',
    'request: StartRequest = { cwd: ".", runtime: "',
    'inspect("',
  ])
    expect(await server.complete(marker)).toEqual(expect.arrayContaining([...names]));
  expect(await server.complete("options: { ")).toEqual(["bin?", "config?", "mcpServers?"]);
  expect(await server.hover("config:")).toContain("Codex settings for this session");
});
