import { describe } from "vitest";
import { smallAgentAdapter } from "../../../test/acp/small-agent.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { createAdapterTest } from "../../testing/adapter-suite/adapter-test.ts";
import { describeCancelling } from "../../testing/adapter-suite/cancelling.ts";
import { describeEnding } from "../../testing/adapter-suite/ending.ts";
import { describeMcp } from "../../testing/adapter-suite/mcp.ts";
import { describePermissions } from "../../testing/adapter-suite/permissions.ts";
import {
  describeAttaching,
  describeAttachingToRequest,
  describeResuming,
} from "../../testing/adapter-suite/resuming.ts";
import type { RuntimeUnderTest } from "../../testing/adapter-suite/runtime-under-test.ts";
import { describePlanning, describeTools } from "../../testing/adapter-suite/tools.ts";
import {
  describeDeltas,
  describeReasoning,
  describeUsage,
} from "../../testing/adapter-suite/words.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";

const tools: RuntimeUnderTest["tools"] = {
  write: (path, content) => ({ name: "write", input: { path, content } }),
  shell: (command) => ({ name: "shell", input: { command } }),
  mcp: (server, tool) => ({ name: `${server}_${tool}`, input: {} }),
  edit: (path, from, to) => ({ name: "edit", input: { path, from, to } }),
};

function under(version: 1 | 2, quirk: string): RuntimeUnderTest {
  return {
    createAdapter: ({ env }) => smallAgentAdapter({ env, version, quirk }),
    createHost: createLocalHost,
    apis: ["openai-chat"],
    tools,
    missesSse: true,
  };
}

describeAdapter("an ACP agent of version 2", under(2, ""));

// Version 1 has no room for instructions, nor a word for a message that is begun anew.
for (const quirk of ["", "client", "loads", "echo"]) {
  const runtime = under(1, quirk);
  const test = createAdapterTest(runtime);
  describe(`an ACP agent of version 1 ${quirk}`, { timeout: 60_000 }, () => {
    describe("its end", () => describeEnding(test, runtime));
    describe("deltas", () => describeDeltas(test));
    describe("reasoning", () => describeReasoning(test));
    describe("usage", () => describeUsage(test));
    describe("tools", () => describeTools(test, runtime));
    describe("mcp", () => describeMcp(test, runtime));
    describe("permissions", () => describePermissions(test, runtime));
    describe("plan", () => describePlanning(test, runtime));
    describe("cancel", () => describeCancelling(test, runtime));
    describe("resume", () => describeResuming(test));
    describe("attach", () => describeAttaching(test));
    describe("a request", () => describeAttachingToRequest(test, runtime));
  });
}
