/**
 * Serves MCP on standard input and output like `halyard mcp`, with the fake runtime. Arguments: the root directory, the
 * policy, and `answers` if clients may answer requests.
 */
import { join } from "node:path";
import { createMcpHandler, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createHalyard } from "../../dist/index.js";
import { serveMcp } from "../../dist/mcp/serve.js";
import { Projects } from "../../dist/projects/projects.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [root = "", permissions, answers] = process.argv.slice(2);
const home = join(root, "home");
const now = () => new Date();
const halyard = await createHalyard({
  home,
  env: {},
  adapters: [fakeAdapter()],
  defaultRuntime: "fake",
});
await serveMcp(
  { McpServer, createMcpHandler, ProtocolError, serveStdio, StdioServerTransport },
  {
    halyard: async () => halyard,
    projects: new Projects({ env: {}, home, root, now }),
    permissions: permissions === "allow-all" ? "allow-all" : "ask",
    answers: answers === "answers",
    directory: root,
    now,
  },
  { input: process.stdin, output: process.stdout, version: "1.2.3" },
);
await halyard[Symbol.asyncDispose]();
