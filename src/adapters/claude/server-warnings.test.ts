import { expect, test } from "vitest";
import { ServerWarnings } from "./server-warnings.ts";
import type { Init } from "./system-messages.ts";

const init = (servers: Init["mcp_servers"]): Init => ({
  type: "system",
  subtype: "init",
  mcp_servers: servers,
});

test("a server that fails is told of once, when it has failed", () => {
  const warnings = new ServerWarnings();
  const depths = { name: "depths", source: "dynamic" };
  expect(warnings.of(init([{ ...depths, status: "pending" }]))).toEqual([]);
  const failed = init([{ ...depths, status: "failed" }]);
  expect(warnings.of(failed)).toEqual([
    { type: "system", subtype: "warning", text: "MCP server depths: failed" },
  ]);
  expect(warnings.of(failed)).toEqual([]);
});

test("what the user has set up for every session is none of this one's", () => {
  const servers = [
    { name: "mail", status: "needs-auth", source: "user" },
    { name: "old", status: "failed" },
  ];
  expect(new ServerWarnings().of(init(servers))).toMatchObject([
    { text: "MCP server old: failed" },
  ]);
});
