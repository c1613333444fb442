import { expect, test } from "vitest";
import { ServerWarnings } from "./server-warnings.ts";
import type { Init } from "./system-messages.ts";

const init = (servers: Init["mcp_servers"]): Init => ({
  type: "system",
  subtype: "init",
  mcp_servers: servers,
});

test("warns once about a server that failed", () => {
  const warnings = new ServerWarnings();
  const depths = { name: "depths", source: "dynamic" };
  expect(warnings.warningsFor(init([{ ...depths, status: "pending" }]))).toEqual([]);
  const failed = init([{ ...depths, status: "failed" }]);
  expect(warnings.warningsFor(failed)).toEqual([
    { type: "system", subtype: "warning", text: "MCP server depths: failed" },
  ]);
  expect(warnings.warningsFor(failed)).toEqual([]);
});

test("ignores servers from the user's own configuration, but reports failed servers without a source", () => {
  const servers = [
    { name: "mail", status: "needs-auth", source: "user" },
    { name: "old", status: "failed" },
  ];
  expect(new ServerWarnings().warningsFor(init(servers))).toMatchObject([
    { text: "MCP server old: failed" },
  ]);
});
