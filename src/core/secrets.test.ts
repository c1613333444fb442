import { expect, test } from "vitest";
import { secretsIn } from "./secrets.ts";

test("keys are found among variables and options by their names", () => {
  expect(secretsIn({ PATH: "/bin", GITHUB_TOKEN: "ghp_1", factoryApiKey: "fk" })).toEqual([
    "ghp_1",
    "fk",
  ]);
});

test("keys are found in the environment and the headers of MCP servers, wherever those are", () => {
  const depths = {
    command: "/bin/depths",
    args: ["--key"],
    env: { DEPTHS_KEY: "one", LOG: "all" },
  };
  const away = {
    url: "http://127.0.0.1:1",
    headers: { Authorization: "Bearer two", "X-Api-Key": "three", Accept: "text/html" },
  };
  expect(secretsIn({ mcpServers: { depths, away } })).toEqual(["one", "two", "three"]);
  expect(secretsIn({ config: { mcp_servers: { depths } } })).toEqual(["one"]);
  expect(secretsIn({ ccsdkOptions: { mcpServers: { depths } } })).toEqual(["one"]);
});

test("the name of a variable with a key in it is no key, and objects of a program are not looked into", () => {
  const provider = { env_key: "OPENAI_API_KEY" };
  const live = new (class {
    env = { SECRET_KEY: "not data" };
  })();
  expect(secretsIn({ config: { provider }, live })).toEqual([]);
});
