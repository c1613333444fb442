import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { sampleRequest } from "../../../testing/sample-request.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { createRegistry } from "../../registry.ts";
import { probeSdk } from "./load.ts";
import { sdkOptions, sdkSystemPrompt } from "./options.ts";

test("reports a missing SDK with the command that installs it", async () => {
  const directory = await temporaryDirectory();
  expect(await probeSdk(join(directory, "runtimes"), directory)).toEqual({
    available: false,
    reason: "the Claude Agent SDK is not installed",
    hint: 'run "halyard runtime install ccsdk"',
  });
});

test.each(["", "runtimes/ccsdk"])(
  "finds the SDK in the node_modules directory below %j",
  async (path) => {
    const directory = await temporaryDirectory();
    const root = join(directory, path, "node_modules/@anthropic-ai/claude-agent-sdk");
    await mkdir(root, { recursive: true });
    await writeFile(join(root, "package.json"), '{"main":"sdk.mjs","version":"1.2.3"}');
    const found = await probeSdk(join(directory, "runtimes"), join(directory, "a/b"));
    expect(found).toEqual({ available: true, version: "1.2.3" });
  },
);

test("imports the SDK only when a session starts [s4.factory.lazy]", async () => {
  const runtimesDir = await temporaryDirectory();
  const root = join(runtimesDir, "ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
  await mkdir(root, { recursive: true });
  await writeFile(join(root, "package.json"), '{"main":"sdk.mjs","version":"1.2.3"}');
  await writeFile(join(root, "sdk.mjs"), "globalThis.plantedSdk = true;");
  const registry = createRegistry({ env: {}, runtimesDir, detached: false }, []);
  for (const name of await registry.names()) await (await registry.load(name)).probe();
  const adapter = await registry.load("ccsdk");
  expect(globalThis).not.toHaveProperty("plantedSdk");
  await expect(adapter.connect(requestWith({}))).rejects.toMatchObject({
    code: "runtime_unavailable",
    message: expect.stringContaining(
      'Version 1.2.3 of the Claude Agent SDK has no function "query".',
    ),
  });
  expect(globalThis).toHaveProperty("plantedSdk", true);
});

function requestWith(options: Record<string, unknown>): ConnectRequest {
  return sampleRequest({ host: createLocalHost(), options });
}

test("passes the SDK's options unchanged, except options that Halyard handles [s4.options.ccsdk]", () => {
  const hooks = { Stop: [] };
  const ccsdkOptions = { maxTurns: 3, hooks, hooksEnabled: false, disallowedTools: ["WebFetch"] };
  expect(sdkOptions(requestWith({ ccsdkOptions, settings: { model: "m" } }))).toEqual({
    claude: {
      mcpServers: {},
      settings: { model: "m", disableAllHooks: true },
    },
    sdk: { maxTurns: 3, hooks },
    disallowedTools: ["WebFetch"],
    extraArgs: {},
    liveServers: {},
    otherServers: {},
  });
});

test("separates in-process MCP servers from servers that Claude reads from a file", () => {
  const live = { type: "sdk", name: "deep", instance: new Map() };
  const away = { type: "http", url: "http://127.0.0.1:1" };
  const ccsdkOptions = { mcpServers: { live, away } };
  expect(sdkOptions(requestWith({ ccsdkOptions }))).toMatchObject({
    sdk: {},
    liveServers: { live },
    otherServers: { away },
  });
});

test("names the option in the error if its value has the wrong type", () => {
  expect(() => sdkOptions(requestWith({ ccsdkOptions: { hooksEnabled: "yes" } }))).toThrow(
    /ccsdkOptions\.hooksEnabled/,
  );
});

test("appends the session's instructions to the system prompt", () => {
  const preset = { type: "preset", preset: "claude_code" };
  expect(sdkSystemPrompt(undefined, undefined)).toEqual(preset);
  expect(sdkSystemPrompt(undefined, "Be brief.")).toEqual({ ...preset, append: "Be brief." });
  expect(sdkSystemPrompt("You are a pirate.", "Be brief.")).toBe("You are a pirate.\n\nBe brief.");
});
