import { join } from "node:path";
import { createLocalHost } from "../../src/hosts/local/index.ts";
import type { RuntimeUnderTest } from "../../src/testing/adapter-suite/runtime-under-test.ts";
import { smallAgentAdapter } from "./small-agent.ts";

const tools: RuntimeUnderTest["tools"] = {
  write: (path, content) => ({ name: "write", input: { path, content } }),
  shell: (command) => ({ name: "shell", input: { command } }),
  mcp: (server, tool) => ({ name: `${server}_${tool}`, input: {} }),
  edit: (path, from, to) => ({ name: "edit", input: { path, from, to } }),
};

/** Returns the small agent, with a protocol version and a quirk, as a runtime for the adapter suites. */
export function smallRuntime(version: 1 | 2, quirk: string): RuntimeUnderTest {
  return {
    createAdapter: ({ env, directory }) =>
      smallAgentAdapter({ env, version, quirk, state: join(directory, "small-agent") }),
    createHost: createLocalHost,
    apis: ["openai-chat"],
    tools,
    missesSse: true,
  };
}
