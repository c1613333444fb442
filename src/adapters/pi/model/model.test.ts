import { describe, expect, test } from "vitest";
import { modelSource } from "./model.ts";

describe("modelSource", () => {
  const baseUrl = "http://127.0.0.1:4000";

  test("maps an endpoint to a provider, with or without a key", () => {
    const model = { id: "m", baseUrl, api: "anthropic", apiKey: "k" } as const;
    expect(modelSource(model, {})).toEqual({ kind: "endpoint", endpoint: model });
    expect(modelSource({ id: "m", baseUrl: `${baseUrl}/v1` }, { OPENAI_API_KEY: "k" })).toEqual({
      kind: "endpoint",
      endpoint: { id: "m", baseUrl: `${baseUrl}/v1`, api: "openai-chat", apiKey: "none" },
    });
  });

  test("maps a key without an endpoint to the API's vendor, by default Anthropic", () => {
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

  test("uses the vendor's key from the environment if only the API is set, and otherwise the user's own login", () => {
    const model = { api: "openai-responses" } as const;
    expect(modelSource(model, { OPENAI_API_KEY: "k" })).toMatchObject({
      kind: "vendor",
      apiKey: "k",
    });
    expect(modelSource(model, {})).toMatchObject({ kind: "own" });
  });

  test("maps a model name alone to the user's own models", () => {
    expect(modelSource({ id: "m" }, { ANTHROPIC_API_KEY: "k" })).toEqual({ kind: "own", id: "m" });
    expect(modelSource(undefined, {})).toEqual({ kind: "own" });
  });

  test("rejects an endpoint without a model name", () => {
    expect(() => modelSource({ baseUrl }, {})).toThrow(
      /needs a model name.*--model NAME, or set model\.id\.$/,
    );
  });
});
