import { expect, test } from "vitest";
import type { Agreement } from "./agreement.ts";
import { toMcpServers } from "./mcp-servers.ts";

const agreement: Agreement = {
  version: 1,
  agent: "Parrot 1.0",
  signIn: [],
  takesSystemPrompt: false,
  mcp: { http: true, sse: false },
  capabilities: {},
};

const url = "http://127.0.0.1:1/mcp";

test("a server over HTTP goes to an agent that takes such", () => {
  const away = { type: "http", url, headers: { "X-Key": "k" } } as const;
  expect(toMcpServers({ away }, agreement)).toEqual([
    { type: "http", name: "away", url, headers: [{ name: "X-Key", value: "k" }] },
  ]);
});

test("a server of a kind that the agent does not take is refused, by its name and the agent's", () => {
  const away = { type: "sse", url, headers: {} } as const;
  expect(() => toMcpServers({ away }, agreement)).toThrow(
    expect.objectContaining({
      code: "unsupported",
      message: "Parrot 1.0 takes no MCP server over sse: away",
    }),
  );
});

test("a program is refused that the protocol has no words for: it has to be a path", () => {
  const depths = { command: "depths", args: [], env: {} };
  expect(() => toMcpServers({ depths }, agreement)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining("absolute path"),
    }),
  );
});
