import { expect, test } from "vitest";
import { type Configurable, completeRequest } from "./complete-request.ts";
import type { Config } from "./config.ts";
import { ModelsFile } from "./files/models.ts";
import { ServerFile } from "./files/server.ts";
import { SettingsFile } from "./files/settings.ts";

const server = (value: object) => ({ path: "server.json", value: ServerFile.parse(value) });
const settings = (value: object) => ({
  path: "halyard.json",
  directory: "/work",
  isTrusted: false,
  value: SettingsFile.parse(value),
});
const models = (isTrusted: boolean) => ({
  path: "models.json",
  directory: "/work",
  isTrusted,
  value: ModelsFile.parse({
    models: {
      fast: { model: "small-1", baseUrl: "http://fast/v1", apiKey: "$".concat("{FAST_KEY}") },
      plain: { model: "plain-1", baseUrl: "http://plain/v1", apiKey: "plain-key" },
    },
    defaults: { session_model: "plain" },
  }),
});

const bare: Configurable = { labels: {}, options: {}, env: {} };
const env = { FAST_KEY: "planted" };

function complete(config: Config, runtime: string, request = {}) {
  return completeRequest(config, { ...bare, ...request }, { runtime, env, isNew: true });
}

test("adds the endpoint and key of a named or default model, and keeps a request's own endpoint", () => {
  const config = { models: models(true) };
  const fast = { id: "small-1", baseUrl: "http://fast/v1", apiKey: "planted", from: "/work" };
  expect(complete(config, "pi", { model: { id: "fast" } }).model).toEqual(fast);
  expect(complete(config, "pi").model).toMatchObject({ id: "plain-1" });
  const own = { id: "fast", baseUrl: "http://elsewhere" };
  expect(complete(config, "pi", { model: own }).model).toEqual(own);
});

test("rejects models in an untrusted directory", () => {
  const config = { models: models(false) };
  for (const model of [{ model: { id: "fast" } }, {}])
    expect(() => complete(config, "pi", model)).toThrow(/not trusted.*halyard trust \/work/);
});

test("keeps a resumed session's model, and adds its key again if models.json is trusted", () => {
  const model = { id: "small-1", baseUrl: "http://fast/v1" };
  const goOn = (config: Config) =>
    completeRequest(config, { ...bare, model }, { runtime: "pi", env, isNew: false }).model;
  expect(goOn({ models: models(true) })).toEqual({ ...model, apiKey: "planted" });
  expect(goOn({ models: models(false) })).toEqual(model);
  expect(goOn({})).toEqual(model);
});

test("adds the default model in server.json and the key in factory.json for droid only", () => {
  const config = {
    server: server({ droid: { default_model: "opus" } }),
    factory: { path: "factory.json", value: { api_key: "fk-planted" } },
  };
  const droid = complete(config, "droid");
  expect(droid).toMatchObject({ model: { id: "opus" }, options: { factoryApiKey: "fk-planted" } });
  expect(complete(config, "droid", { options: { factoryApiKey: "own" } }).options).toEqual({
    factoryApiKey: "own",
  });
  expect(complete(config, "pi")).toEqual(bare);
});

test("prefers the agent's model, then the project's, then the one in the settings", () => {
  const config = {
    settings: settings({ model: "c", agents: { list: [{ id: "coder", model: "a" }] } }),
    project: {
      path: "metadata.json",
      value: { model: "b" },
      directory: "/work",
      isTrusted: false,
    },
  };
  expect(complete(config, "pi", { labels: { agent: "coder" } }).model).toEqual({ id: "a" });
  expect(complete(config, "pi").model).toEqual({ id: "b" });
  expect(complete({ settings: config.settings }, "pi").model).toEqual({ id: "c" });
});

test("passes an agent's ccsdk settings to the Claude Agent SDK only if the project is trusted", () => {
  const ccsdk = { hooksEnabled: false, models: { haiku: "small-1" } };
  const untrusted = settings({ agents: { list: [{ id: "a", ccsdk }] } });
  expect(complete({ settings: untrusted }, "ccsdk", { labels: { agent: "a" } })).toMatchObject({
    options: { ccsdkOptions: {} },
    env: {},
  });
  const config = { settings: { ...untrusted, isTrusted: true } };
  const { options, env: added } = complete(config, "ccsdk", { labels: { agent: "a" } });
  expect(options).toEqual({ ccsdkOptions: { hooksEnabled: false } });
  expect(added).toEqual({ ANTHROPIC_DEFAULT_HAIKU_MODEL: "small-1" });
});

test("applies the model variables if the caller enables them, and the endpoint only if the runtime supports one", () => {
  const variables = { HALYARD_MODEL: "m", HALYARD_BASE_URL: "http://own/v1", HALYARD_API_KEY: "k" };
  const location = {
    runtime: "pi",
    env: { ...env, ...variables },
    isNew: true,
    usesVariables: true,
  };
  const own = { id: "m", baseUrl: "http://own/v1", apiKey: "k" };
  expect(completeRequest({}, bare, location).model).toEqual(own);
  expect(completeRequest({}, bare, { ...location, takesEndpoints: false }).model).toEqual({
    id: "m",
  });
  expect(completeRequest({}, bare, { ...location, usesVariables: false }).model).toBeUndefined();
  const asked = { ...bare, model: { id: "other" } };
  expect(completeRequest({}, asked, location).model).toEqual({ ...own, id: "other" });
});
