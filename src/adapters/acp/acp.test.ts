import { describe } from "vitest";
import { smallAgentAdapter } from "../../../test/acp/small-agent.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { createAdapterTest } from "../../testing/adapter-suite/adapter-test.ts";
import { describeCancel } from "../../testing/adapter-suite/cancel.ts";
import { describeEnding } from "../../testing/adapter-suite/ending.ts";
import { describeMcp } from "../../testing/adapter-suite/mcp.ts";
import {
  describeDeltas,
  describeReasoning,
  describeUsage,
} from "../../testing/adapter-suite/messages.ts";
import { describePermissions } from "../../testing/adapter-suite/permissions.ts";
import {
  describeAttaching,
  describeAttachingToRequest,
  describeResuming,
} from "../../testing/adapter-suite/resuming.ts";
import type { RuntimeUnderTest } from "../../testing/adapter-suite/runtime-under-test.ts";
import { describePlanning, describeTools } from "../../testing/adapter-suite/tools.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";

const tools: RuntimeUnderTest["tools"] = {
  write: (path, content) => ({ name: "write", input: { path, content } }),
  shell: (command) => ({ name: "shell", input: { command } }),
  mcp: (server, tool) => ({ name: `${server}_${tool}`, input: {} }),
  edit: (path, from, to) => ({ name: "edit", input: { path, from, to } }),
};

function createRuntime(version: 1 | 2, quirk: string): RuntimeUnderTest {
  return {
    createAdapter: ({ env }) => smallAgentAdapter({ env, version, quirk }),
    createHost: createLocalHost,
    apis: ["openai-chat"],
    tools,
    missesSse: true,
  };
}

describeAdapter("ACP agent, version 2", createRuntime(2, ""));

// Version 1 supports neither system prompts nor replaced messages.
for (const quirk of ["", "client", "loads", "echo"]) {
  const runtime = createRuntime(1, quirk);
  const test = createAdapterTest(runtime);
  describe(`ACP agent, version 1 ${quirk}`, { timeout: 60_000 }, () => {
    describe("process end", () => describeEnding(test, runtime));
    describe("deltas", () => describeDeltas(test));
    describe("reasoning", () => describeReasoning(test));
    describe("usage", () => describeUsage(test));
    describe("tools", () => describeTools(test, runtime));
    describe("mcp", () => describeMcp(test, runtime));
    describe("permissions", () => describePermissions(test, runtime));
    describe("plan", () => describePlanning(test, runtime));
    describe("cancel", () => describeCancel(test, runtime));
    describe("resume", () => describeResuming(test));
    describe("attach", () => describeAttaching(test));
    describe("attach with an open request", () => describeAttachingToRequest(test, runtime));
  });
}
