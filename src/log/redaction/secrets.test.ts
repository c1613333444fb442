import { expect, test } from "vitest";
import { secretsIn } from "./secrets.ts";

test("finds secrets by variable and option names", () => {
  const values = { PATH: "/bin", GITHUB_TOKEN: "ghp_1", factoryApiKey: "fk", GH_PAT: "pat-1" };
  expect(secretsIn(values)).toEqual(["ghp_1", "fk", "pat-1"]);
});

test.each([
  ["postgres://app:pa%40ss-word@db/app", ["pa%40ss-word", "pa@ss-word"]],
  ["https://0123456789abcdef0123@o1.ingest.example/1", ["0123456789abcdef0123"]],
  ["https://mcp.example/s/Zm9vYmFyYmF6cXV4MTIz/mcp", ["Zm9vYmFyYmF6cXV4MTIz"]],
  ["https://mcp.example/?api_key=k-12345678&page=2", ["k-12345678"]],
  ["Server=db;User Id=app;Password=hunter2!;", ["hunter2!"]],
  ["host=db password=hunter2! user=app", ["hunter2!"]],
  ["X-Api-Key: k-12345678", ["k-12345678"]],
  ["Authorization: Bearer abc.def-123", ["abc.def-123"]],
  ["https://example.com/docs/index.html?page=2", []],
  ["http://127.0.0.1:3128", []],
])("finds the secrets in %s", (value, secrets) => {
  expect(secretsIn({ DATABASE_URL: value })).toEqual(secrets);
});

test("finds keys by their format, independent of the variable name", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  const keys = ["sk-ant-api03-0123456789abcdef", "ghp_0123456789abcdef0123", jwt];
  expect(secretsIn({ A: keys[0], B: keys[1], C: keys[2], D: "plain words" })).toEqual(keys);
});

test.each(["true", "8080", "128000", "/home/me/.ssh/id_ed25519", "~/token", "$TOKEN", "oauth", ""])(
  "does not treat %j as a secret, even if the variable's name indicates one",
  (value) => {
    expect(secretsIn({ SOME_TOKEN: value })).toEqual([]);
  },
);

test("finds every string in a secret that is JSON, and the password in base64 registry credentials", () => {
  const auth = Buffer.from("ada:hunter2-in-the-harbor").toString("base64");
  const DOCKER_AUTH_CONFIG = JSON.stringify({
    auths: { "registry.example": { auth, email: "ada@example.com" } },
  });
  expect(secretsIn({ DOCKER_AUTH_CONFIG })).toEqual([
    DOCKER_AUTH_CONFIG,
    auth,
    "hunter2-in-the-harbor",
    "ada@example.com",
  ]);
});

test("finds secrets by name in another variable's JSON", () => {
  const SETTINGS = JSON.stringify({ servers: [{ apiKey: "k-12345678", port: 80, name: "north" }] });
  expect(secretsIn({ SETTINGS, BROKEN: '{"apiKey' })).toEqual(["k-12345678"]);
});

test("recognizes a base64 key that starts with a slash", () => {
  const key = "/bPxRfiCYEXAMPLEKEYwJalrXUtnFEMIK7MDENG/";
  expect(secretsIn({ AWS_SECRET_ACCESS_KEY: key })).toEqual([key]);
});

test("finds keys in MCP server arguments", () => {
  const args = ["-y", "mcp-remote", "--api-key", "one-12345", "--token=two-12345", "--port", "80"];
  const header = ["--header", "Authorization: Bearer three-12345"];
  const server = { command: "npx", args: [...args, ...header] };
  expect(secretsIn({ mcpServers: { server } })).toEqual(["one-12345", "two-12345", "three-12345"]);
});

test("finds keys in MCP server environments and headers at several depths", () => {
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

test("ignores a variable name in a field such as `env_key`, and objects that are not plain data", () => {
  const provider = { env_key: "OPENAI_API_KEY" };
  const live = new (class {
    env = { SECRET_KEY: "not data" };
  })();
  expect(secretsIn({ config: { provider }, live })).toEqual([]);
});
