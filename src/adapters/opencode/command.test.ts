import { expect, test } from "vitest";
import { keyVariables, toCommand, toolEnvironment } from "./command.ts";
import { pluginSource } from "./config/plugin.ts";

const parts = {
  file: "/bin/opencode",
  host: "local",
  cwd: "/run",
  port: 1234,
  dataDir: "/data",
  source: {
    kind: "endpoint",
    endpoint: {
      id: "m",
      baseUrl: "http://127.0.0.1:1/v1",
      api: "openai-chat",
      apiKey: "sk-secret",
    },
  },
  config: { share: "disabled" },
  password: "pw",
  env: {
    PATH: "/bin",
    HOME: "/home/user",
    XDG_CONFIG_HOME: "/home/user/.config",
    OPENAI_API_KEY: "sk-own",
    SECRET: "x",
  },
  given: { FRUIT: "banana" },
  trusted: true,
} as const;

test("passes the key and the password in the environment, not on the command line [s2.d1.serve-command]", () => {
  const { args, env } = toCommand(parts);
  expect(args).toEqual(["serve", "--port", "1234", "--hostname", "127.0.0.1"]);
  expect(env).toMatchObject({
    FRUIT: "banana",
    HALYARD_MODEL_KEY: "sk-secret",
    OPENCODE_SERVER_PASSWORD: "pw",
    OPENCODE_CONFIG_CONTENT: '{"share":"disabled"}',
    OPENCODE_DB: "/data/opencode.db",
    XDG_CONFIG_HOME: "/data/config",
    HOME: "/home/user",
  });
  expect(env).not.toHaveProperty("SECRET");
  expect(env).not.toHaveProperty("OPENAI_API_KEY");
});

test("passes the user's login and keys if the session has no model", () => {
  const { env } = toCommand({ ...parts, source: { kind: "own" } });
  expect(env).toMatchObject({ OPENAI_API_KEY: "sk-own", XDG_CONFIG_HOME: "/home/user/.config" });
  expect(env).not.toHaveProperty("OPENCODE_DISABLE_DEFAULT_PLUGINS");
});

test("replaces OpenCode's catalog of models with an empty file only for an endpoint", () => {
  const catalogOf = (source: Parameters<typeof toCommand>[0]["source"]) =>
    toCommand({ ...parts, source }).env?.OPENCODE_MODELS_PATH;
  expect(catalogOf(parts.source)).toBe("/run/models.json");
  expect(catalogOf({ kind: "own" })).toBeUndefined();
  expect(catalogOf({ kind: "vendor", provider: "openai", apiKey: "sk" })).toBeUndefined();
});

test("restores the original variables for tools, without keys", () => {
  const seen = toolEnvironment(parts);
  expect(seen).toMatchObject({ XDG_CONFIG_HOME: "/home/user/.config" });
  for (const name of ["HALYARD_MODEL_KEY", "OPENCODE_SERVER_PASSWORD", "OPENAI_API_KEY"])
    expect(seen).toHaveProperty(name, undefined);
});

test("generates a plugin that applies the tool environment", async () => {
  const source = pluginSource({ SECRET: undefined, PATH: "/bin" });
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const { Halyard } = module as { Halyard(): Promise<Record<string, Hook>> };
  const output = { env: { SECRET: "x" } };
  await (await Halyard())["shell.env"]?.({}, output);
  expect(output.env).toEqual({ SECRET: undefined, PATH: "/bin" });
});

type Hook = (input: unknown, output: { env: Record<string, string> }) => Promise<void>;

test("lists all variables with keys, except variables that the session sets", () => {
  const secret = ["HALYARD_MODEL_KEY", "OPENCODE_CONFIG_CONTENT", "OPENCODE_SERVER_PASSWORD"];
  expect(keyVariables(parts)).toEqual([...secret, "OPENAI_API_KEY"]);
  expect(keyVariables({ ...parts, given: { OPENAI_API_KEY: "k" } })).toEqual(secret);
});
