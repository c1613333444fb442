import { describe, expect, test } from "vitest";
import type { ToolLists } from "../../schema/start-request.ts";
import { generatedConfig } from "./config.ts";
import { modelSource, variantsFor } from "./model.ts";
import { sessionRules } from "./policy.ts";

const parts = {
  source: modelSource({ id: "m", baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-secret" }, {}),
  permissions: "allow-all",
  reasons: false,
  plugin: "file:///plugin.js",
  mcpServers: {},
  hasRipgrep: true,
  trusted: true,
} as const;

describe("the configuration", () => {
  test("allows everything where everything is allowed [s0.opencode.permissive-config] [s2.d3.opencode-permission]", () => {
    expect(generatedConfig(parts).permission).toEqual({ "*": "allow" });
  });

  test("asks for all but looking otherwise, the general rule first", () => {
    const { permission } = generatedConfig({ ...parts, permissions: "ask" });
    const entries = Object.entries(permission ?? {});
    expect(entries[0]).toEqual(["*", "ask"]);
    expect(permission).toMatchObject({
      bash: "ask",
      edit: "ask",
      read: "allow",
      question: "allow",
    });
  });

  test("takes away the tools for which OpenCode would fetch a program", () => {
    const { permission } = generatedConfig({ ...parts, hasRipgrep: false });
    expect(permission).toEqual({ "*": "allow", glob: "deny", grep: "deny" });
  });

  test("names the endpoint as the only provider, without its key", () => {
    const config = generatedConfig(parts);
    expect(config).toMatchObject({
      enabled_providers: ["halyard"],
      model: "halyard/m",
      provider: {
        halyard: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: "http://127.0.0.1:1/v1" },
          models: { m: { tool_call: true, reasoning: false } },
        },
      },
    });
    expect(JSON.stringify(config)).not.toContain("sk-secret");
  });

  test("has the version in the URL of an Anthropic endpoint too", () => {
    const model = { id: "m", baseUrl: "http://127.0.0.1:1/", api: "anthropic" } as const;
    const config = generatedConfig({ ...parts, source: modelSource(model, {}) });
    expect(config).toMatchObject({
      provider: { halyard: { options: { baseURL: "http://127.0.0.1:1/v1" } } },
    });
  });

  test("leaves the user's own models alone", () => {
    const config = generatedConfig({ ...parts, source: { kind: "own" } });
    expect(config).not.toHaveProperty("provider");
    expect(config).not.toHaveProperty("enabled_providers");
  });
});

test("a plan changes nothing, whatever else is allowed", () => {
  for (const permissions of ["allow-all", "ask"] as const)
    expect(sessionRules({ plan: true, permissions })).toEqual([
      { permission: "edit", pattern: "*", action: "deny" },
      { permission: "bash", pattern: "*", action: "deny" },
    ]);
  expect(sessionRules({ plan: false, permissions: "ask" })).toMatchObject([
    { action: "ask" },
    { action: "ask" },
  ]);
});

test("only some tools are offered, or all but some; those that edit come together", () => {
  const request = { plan: false, permissions: "allow-all" } as const;
  const inShort = (tools: ToolLists) =>
    sessionRules({ ...request, tools }).map(({ permission, action }) => `${action} ${permission}`);
  expect(inShort({ enabled: ["read", "bash"] })).toEqual([
    "deny *",
    "allow read",
    "allow external_directory",
    "allow doom_loop",
    "allow bash",
  ]);
  expect(inShort({ disabled: ["bash"] })).toEqual(["allow edit", "allow bash", "deny bash"]);
  expect(() => inShort({ disabled: ["write"] })).toThrow("say edit");
});

describe("the model", () => {
  test("is the user's own choice where nothing is said [s2.d6.no-shared-models]", () => {
    expect(modelSource(undefined, { ANTHROPIC_API_KEY: "k" })).toEqual({ kind: "own" });
    expect(modelSource({ id: "anthropic/x" }, {})).toEqual({ kind: "own" });
  });

  test("is the vendor's where only a key is given", () => {
    expect(modelSource({ api: "openai-responses", apiKey: "k" }, {})).toEqual({
      kind: "vendor",
      provider: "openai",
      apiKey: "k",
    });
  });

  test("has to be named at an endpoint", () => {
    const endpoint = { baseUrl: "http://127.0.0.1:1/v1" };
    expect(() => modelSource(endpoint, {})).toThrowError(/which model/);
  });

  test("thinks as hard as it can of what was asked", () => {
    expect(variantsFor("max")[0]).toBe("max");
    expect(variantsFor(undefined)).toEqual([]);
  });
});
