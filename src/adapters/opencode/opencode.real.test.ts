import { homedir } from "node:os";
import { join } from "node:path";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { opencodeAdapter } from "./index.ts";

const runtimesDir =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");

describeAdapter("opencode", {
  createAdapter: ({ env }) => opencodeAdapter({ runtimesDir, env }),
  createHost: createLocalHost,
  apis: ["openai-chat", "anthropic", "openai-responses"],
  tools: {
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    mcp: (server, tool) => ({ name: `${server}_${tool}`, input: {} }),
    edit: (filePath, oldString, newString) => ({
      name: "edit",
      input: { filePath, oldString, newString },
    }),
  },
});
