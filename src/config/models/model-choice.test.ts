import { expect, test } from "vitest";
import { ModelsFile } from "../files/models.ts";
import { chooseModel, chooseModelAgain } from "./model-choice.ts";

const models = ModelsFile.parse({
  models: {
    fast: {
      model: "small-1",
      displayName: "Small",
      baseUrl: "http://127.0.0.1:8000/v1",
      provider: "generic-chat-completion-api",
      apiKey: "file-key",
    },
    careful: { model: "large-1", api: "anthropic", apiKey: "$".concat("{LARGE_KEY}") },
  },
  defaults: { session_model: "fast" },
});
const fast = {
  id: "small-1",
  baseUrl: "http://127.0.0.1:8000/v1",
  api: "openai-chat",
  apiKey: "file-key",
};

test("returns undefined if no source names a model", () => {
  expect(chooseModel({ flags: {}, env: {} })).toBeUndefined();
  expect(
    chooseModel({ flags: {}, env: { HALYARD_MODEL: "", HALYARD_API_KEY: "" } }),
  ).toBeUndefined();
});

test("prefers flags to the environment, and the environment to files", () => {
  const env = {
    HALYARD_MODEL: "from-env",
    HALYARD_BASE_URL: "http://env/v1",
    HALYARD_API_KEY: "k",
  };
  expect(chooseModel({ flags: {}, env: {}, models })).toEqual(fast);
  expect(chooseModel({ flags: {}, env: {}, models, defaultModel: "other" })).toEqual({
    id: "other",
  });
  expect(chooseModel({ flags: {}, env, models })).toEqual({
    id: "from-env",
    baseUrl: "http://env/v1",
    apiKey: "k",
  });
  expect(chooseModel({ flags: { model: "x", api: "openai-chat" }, env, models })).toEqual({
    id: "x",
    api: "openai-chat",
    baseUrl: "http://env/v1",
    apiKey: "k",
  });
});

test("resolves a name in models.json to a model id, an endpoint and a key that may be in the environment", () => {
  const env = { LARGE_KEY: "large", HALYARD_API_KEY: "general" };
  expect(chooseModel({ flags: { model: "careful" }, env, models })).toEqual({
    id: "large-1",
    api: "anthropic",
    apiKey: "large",
  });
  expect(chooseModel({ flags: { model: "fast" }, env, models })).toEqual(fast);
});

test("does not send a named model's key to another endpoint", () => {
  const flags = { model: "fast", baseUrl: "http://elsewhere/v1" };
  const endpoint = { id: "small-1", baseUrl: "http://elsewhere/v1", api: "openai-chat" };
  expect(chooseModel({ flags, env: {}, models })).toEqual(endpoint);
  expect(chooseModel({ flags, env: { HALYARD_API_KEY: "mine" }, models })).toEqual({
    ...endpoint,
    apiKey: "mine",
  });
});

test("rejects a key variable that is not set", () => {
  expect(() => chooseModel({ flags: { apiKeyEnv: "NO_SUCH" }, env: {} })).toThrowError(
    expect.objectContaining({
      code: "invalid_input",
      message:
        "--api-key-env: NO_SUCH is not set in the environment. Export it, or pass another variable.",
    }),
  );
  expect(() => chooseModel({ flags: { model: "careful" }, env: {}, models })).toThrowError(
    /models.careful.apiKey names the variable LARGE_KEY, which is not set/,
  );
});

test("rejects a key in place of a variable name, without printing the key", () => {
  expect(() => chooseModel({ flags: { apiKeyEnv: "sk-very-secret" }, env: {} })).toThrowError(
    /^--api-key-env: expected the name of an environment variable that holds the key, not a key\.$/,
  );
});

test.each([
  [{ flags: { baseUrl: "localhost:80" }, env: {} }, "--base-url: expected an http or https URL"],
  [
    { flags: {}, env: { HALYARD_BASE_URL: "ftp://x" } },
    "HALYARD_BASE_URL: expected an http or https URL",
  ],
  [{ flags: {}, env: { HALYARD_API: "soap" } }, /^HALYARD_API: .*"anthropic"\|"openai-chat"/],
])("rejects %j and names the field", (sources, message) => {
  expect(() => chooseModel(sources)).toThrowError(message);
});

test("keeps a resumed session's model unless a flag changes it, and looks up its key", () => {
  const env = {
    HALYARD_MODEL: "from-env",
    HALYARD_BASE_URL: "http://env",
    HALYARD_API_KEY: "general",
  };
  const { apiKey: _, ...recorded } = fast;
  const known = { ...recorded, api: "openai-chat" } as const;
  expect(chooseModelAgain({ flags: {}, env, models }, known)).toEqual(fast);
  expect(chooseModelAgain({ flags: {}, env }, known)).toEqual({ ...known, apiKey: "general" });
  expect(chooseModelAgain({ flags: { model: "other" }, env }, known)).toEqual({
    ...known,
    id: "other",
    apiKey: "general",
  });
  expect(chooseModelAgain({ flags: {}, env: {} })).toBeUndefined();
});

test("rejects every name in an untrusted models.json, from any source", () => {
  const env = { HALYARD_API_KEY: "general", MINE: "mine" };
  const apiKey = "$".concat("{MINE}");
  const strange = ModelsFile.parse({
    models: {
      theirs: { model: "x", baseUrl: "http://theirs" },
      here: { model: "x", baseUrl: "http://127.0.0.1:1/v1", apiKey },
      "claude-opus": { model: "y", baseUrl: "http://theirs" },
    },
    defaults: { session_model: "theirs" },
  });
  const sources = { flags: {}, env, models: strange, untrusted: "/theirs" };
  const refusal = { code: "untrusted_directory", message: /halyard trust \/theirs"\.$/ };
  const refuse = expect.objectContaining({
    ...refusal,
    message: expect.stringMatching(refusal.message),
  });
  expect(() => chooseModel(sources)).toThrowError(refuse);
  for (const model of ["theirs", "here", "claude-opus"]) {
    expect(() => chooseModel({ ...sources, flags: { model } })).toThrowError(refuse);
    expect(() => chooseModel({ ...sources, env: { HALYARD_MODEL: model } })).toThrowError(refuse);
    expect(() => chooseModel({ ...sources, defaultModel: model })).toThrowError(refuse);
    expect(() => chooseModelAgain({ ...sources, flags: { model } })).toThrowError(refuse);
  }
  expect(chooseModel({ ...sources, flags: { model: "gpt-5" } })).toEqual({
    id: "gpt-5",
    apiKey: "general",
  });
});

test("records an endpoint's directory, and uses only a flag's key if the directory is no longer trusted", () => {
  const env = { HALYARD_API_KEY: "general", LARGE_KEY: "large", MINE: "mine" };
  const chosen = chooseModel({ flags: { model: "fast" }, env, models, from: "/work" });
  expect(chosen).toEqual({ ...fast, from: "/work" });
  const { apiKey: _, ...recorded } = chosen ?? {};
  expect(chooseModelAgain({ flags: {}, env, models, from: "/work" }, recorded)).toEqual(chosen);
  const strange = { isStrange: true };
  expect(chooseModelAgain({ flags: {}, env }, recorded, strange)).toEqual(recorded);
  expect(chooseModelAgain({ flags: {}, env, models }, recorded, strange)).toEqual(recorded);
  const flags = { apiKeyEnv: "MINE" };
  expect(chooseModelAgain({ flags, env }, recorded, strange)).toEqual({
    ...recorded,
    apiKey: "mine",
  });
});
