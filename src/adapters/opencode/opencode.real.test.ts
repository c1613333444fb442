import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { opencodeAdapter } from "./index.ts";

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
