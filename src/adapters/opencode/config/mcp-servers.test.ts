import { expect, test } from "vitest";
import { mcpConfig, mcpServersOf, serverWarnings } from "./mcp-servers.ts";

const options = {
  agent: "build",
  mcpServers: {
    depths: { command: "/bin/depths", args: ["-x"], env: { DEPTHS_KEY: "k" } },
    away: { type: "sse", url: "http://127.0.0.1:1/mcp", headers: { "X-Key": "k" } },
  },
};

test("converts a session's MCP servers to OpenCode's configuration and enables them", () => {
  expect(mcpConfig(mcpServersOf({ options }))).toEqual({
    depths: {
      type: "local",
      enabled: true,
      command: ["/bin/depths", "-x"],
      environment: { DEPTHS_KEY: "k" },
    },
    away: {
      type: "remote",
      enabled: true,
      url: "http://127.0.0.1:1/mcp",
      headers: { "X-Key": "k" },
    },
  });
});

test("rejects an invalid MCP server with an error that names it", () => {
  expect(() => mcpServersOf({ options: { mcpServers: { depths: { url: "nowhere" } } } })).toThrow(
    /mcpServers\.depths/,
  );
});

test("warns about each of the session's servers that is not connected", () => {
  const found = {
    depths: { status: "failed", error: "no such file" },
    mail: { status: "failed", error: "not ours" },
  };
  expect(serverWarnings(mcpServersOf({ options }), found)).toMatchObject([
    { subtype: "warning", text: "MCP server depths: no such file" },
    { subtype: "warning", text: "MCP server away: unknown to OpenCode" },
  ]);
  const connected = { depths: { status: "connected" }, away: { status: "connected" } };
  expect(serverWarnings(mcpServersOf({ options }), connected)).toEqual([]);
});
