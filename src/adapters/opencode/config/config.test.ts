import { describe, expect, test } from "vitest";
import type { ToolLists } from "../../../schema/session/start-request.ts";
import { sessionRules } from "../policy.ts";
import { generatedConfig } from "./config.ts";
import { modelSource, variantsFor } from "./model.ts";

const parts = {
  source: modelSource({ id: "m", baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-secret" }, {}),
  permissions: "allow-all",
  reasons: false,
  plugin: "file:///plugin.js",
  mcpServers: {},
  hasRipgrep: true,
  trusted: true,
} as const;

describe("configuration", () => {
  test("allows everything with the policy allow-all [s0.opencode.permissive-config] [s2.d3.opencode-permission]", () => {
    const permission = { "*": "allow", edit: "allow", bash: { "*": "allow" } };
    expect(generatedConfig(parts).permission).toEqual(permission);
  });

  test("with the policy ask, requests permission for all tools except reading and questions", () => {
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

  test("denies the search tools if ripgrep is not installed, so that OpenCode does not download it", () => {
    const { permission } = generatedConfig({ ...parts, hasRipgrep: false });
    expect(permission).toMatchObject({ "*": "allow", glob: "deny", grep: "deny" });
  });

  test("contains the endpoint as its only provider, without the key", () => {
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

  test("adds the version to an Anthropic endpoint's URL", () => {
    const model = { id: "m", baseUrl: "http://127.0.0.1:1/", api: "anthropic" } as const;
    const config = generatedConfig({ ...parts, source: modelSource(model, {}) });
    expect(config).toMatchObject({
      provider: { halyard: { options: { baseURL: "http://127.0.0.1:1/v1" } } },
    });
  });

  test("does not change the user's models if the session has no endpoint", () => {
    const config = generatedConfig({ ...parts, source: { kind: "own" } });
    expect(config).not.toHaveProperty("provider");
    expect(config).not.toHaveProperty("enabled_providers");
  });
});

test("denies edits and commands in a planning session", () => {
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

test("enables or disables tools by name, but rejects a single edit tool", () => {
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
  expect(() => inShort({ disabled: ["write"] })).toThrow('Use "edit"');
});

describe("model source", () => {
  test("is the user's own model by default [s2.d6.no-shared-models]", () => {
    expect(modelSource(undefined, { ANTHROPIC_API_KEY: "k" })).toEqual({ kind: "own" });
    expect(modelSource({ id: "anthropic/x" }, {})).toEqual({ kind: "own" });
  });

  test("is the vendor if a key is set without a URL", () => {
    expect(modelSource({ api: "openai-responses", apiKey: "k" }, {})).toEqual({
      kind: "vendor",
      provider: "openai",
      apiKey: "k",
    });
  });

  test("requires a model id for an endpoint", () => {
    const endpoint = { baseUrl: "http://127.0.0.1:1/v1" };
    expect(() => modelSource(endpoint, {})).toThrow(
      /needs a model name.*--model NAME, or set model\.id\.$/,
    );
  });
});

test("maps a reasoning level to variants, best match first", () => {
  expect(variantsFor("max")[0]).toBe("max");
  expect(variantsFor(undefined)).toEqual([]);
});
