import { describe, expect, test } from "vitest";
import { modelSource } from "./model.ts";

describe("where Pi gets its model from", () => {
  const baseUrl = "http://127.0.0.1:4000";

  test("an endpoint is a provider of its own, with or without a key", () => {
    const model = { id: "m", baseUrl, api: "anthropic", apiKey: "k" } as const;
    expect(modelSource(model, {})).toEqual({ kind: "endpoint", endpoint: model });
    expect(modelSource({ id: "m", baseUrl: `${baseUrl}/v1` }, { OPENAI_API_KEY: "k" })).toEqual({
      kind: "endpoint",
      endpoint: { id: "m", baseUrl: `${baseUrl}/v1`, api: "openai-chat", apiKey: "none" },
    });
  });

  test("a key without an endpoint is for the vendor of that API, Anthropic unless said otherwise", () => {
    expect(modelSource({ apiKey: "k" }, {})).toEqual({
      kind: "vendor",
      provider: "anthropic",
      apiKey: "k",
    });
    expect(modelSource({ id: "m", api: "openai-responses", apiKey: "k" }, {})).toMatchObject({
      kind: "vendor",
      provider: "openai",
      id: "m",
    });
    expect(modelSource({ id: "m", api: "openai-chat", apiKey: "k" }, {})).toMatchObject({
      kind: "endpoint",
      endpoint: { baseUrl: "https://api.openai.com/v1", api: "openai-chat" },
    });
  });

  test("an API alone takes the vendor's key from the environment, or else the user's own login", () => {
    const model = { api: "openai-responses" } as const;
    expect(modelSource(model, { OPENAI_API_KEY: "k" })).toMatchObject({
      kind: "vendor",
      apiKey: "k",
    });
    expect(modelSource(model, {})).toMatchObject({ kind: "own" });
  });

  test("a name alone is for Pi to find among the user's models", () => {
    expect(modelSource({ id: "m" }, { ANTHROPIC_API_KEY: "k" })).toEqual({ kind: "own", id: "m" });
    expect(modelSource(undefined, {})).toEqual({ kind: "own" });
  });

  test("an endpoint without a name is refused", () => {
    expect(() => modelSource({ baseUrl }, {})).toThrow(/which model/);
  });
});
