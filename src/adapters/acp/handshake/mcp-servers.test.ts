import { expect, test } from "vitest";
import type { Agreement } from "./agreement.ts";
import { toMcpServers } from "./mcp-servers.ts";

const agreement: Agreement = {
  version: 1,
  agent: "Parrot 1.0",
  signIn: [],
  takesSystemPrompt: false,
  takesImages: false,
  forks: false,
  listsSessions: false,
  setsProviders: false,
  takesDirectories: false,
  mcp: { http: true, sse: false },
  capabilities: {},
};

const url = "http://127.0.0.1:1/mcp";

test("passes an HTTP server to an agent that supports HTTP", () => {
  const away = { type: "http", url, headers: { "X-Key": "k" } } as const;
  expect(toMcpServers({ away }, agreement)).toEqual([
    { type: "http", name: "away", url, headers: [{ name: "X-Key", value: "k" }] },
  ]);
});

test("rejects a server with a transport that the agent does not support", () => {
  const away = { type: "sse", url, headers: {} } as const;
  expect(() => toMcpServers({ away }, agreement)).toThrow(
    expect.objectContaining({
      code: "unsupported",
      message:
        "Parrot 1.0 does not support MCP servers over sse: away. Remove the server, or use another transport.",
    }),
  );
});

test("rejects a command that is not an absolute path", () => {
  const depths = { command: "depths", args: [], env: {} };
  expect(() => toMcpServers({ depths }, agreement)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining("absolute path"),
    }),
  );
});
