import { describe, expect } from "vitest";
import type { Capability } from "../schema/runtime.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import { readRequest, requireCapabilities } from "../session/session-request.ts";
import { type AdapterTest, createAdapterTest } from "./adapter-suite/adapter-test.ts";
import { describeCancel, describeSteering } from "./adapter-suite/cancel.ts";
import {
  describeCommands,
  describeCompacting,
  describeForking,
  describeModels,
  describeNativeSessions,
  describeStructuredOutput,
} from "./adapter-suite/conversations.ts";
import { describeEnding } from "./adapter-suite/ending.ts";
import { describeFailures } from "./adapter-suite/failures.ts";
import { describeImages } from "./adapter-suite/images.ts";
import { describeLimits } from "./adapter-suite/limits.ts";
import { describeMcp } from "./adapter-suite/mcp.ts";
import {
  describeDeltas,
  describeMessages,
  describeReasoning,
  describeUsage,
} from "./adapter-suite/messages.ts";
import { describePermissions } from "./adapter-suite/permissions.ts";
import {
  describeAttaching,
  describeAttachingToRequest,
  describeResuming,
} from "./adapter-suite/resuming.ts";
import type { RuntimeUnderTest } from "./adapter-suite/runtime-under-test.ts";
import { describeSettings } from "./adapter-suite/settings.ts";
import type { Stage } from "./adapter-suite/stage.ts";
import { describeToolLists } from "./adapter-suite/tool-lists.ts";
import { describePlanning, describeTools } from "./adapter-suite/tools.ts";

/**
 * Tests the adapter contract with the real program and a scripted model. Tests each capability that the adapter claims.
 * Operations that need any other capability must be rejected with `unsupported`. Call this function at the top level of
 * a test file.
 */
export function describeAdapter(name: string, runtime: RuntimeUnderTest): void {
  const test = createAdapterTest(runtime);
  const { capabilities, protocol } = runtime.createAdapter({ env: {}, directory: "" });
  const describeClaim = (capability: Capability, prove: typeof describeTools): void => {
    describe(capability, () => {
      if (capabilities.includes(capability)) prove(test, runtime);
      else describeRefusal(test, capability);
    });
  };

  describe(name, { timeout: 60_000 }, () => {
    test("reports that the runtime is available", async ({ stage }) => {
      expect(await stage.adapter.probe()).toMatchObject({ available: true });
    });
    describe("messages", () => describeMessages(test, runtime));
    describe("process end", () => describeEnding(test, runtime));
    describe("model failures", () => describeFailures(test, runtime));
    describe("limits", () => describeLimits(test, runtime));
    describeClaim("deltas", describeDeltas);
    describeClaim("reasoning", describeReasoning);
    describeClaim("usage", describeUsage);
    describeClaim("tools", describeTools);
    describeClaim("tool-lists", describeToolLists);
    describeClaim("mcp", describeMcp);
    describeClaim("permissions", describePermissions);
    describeClaim("plan", describePlanning);
    describeClaim("settings", describeSettings);
    describeClaim("cancel", describeCancel);
    describeClaim("steer", describeSteering);
    describeClaim("images", describeImages);
    describeClaim("resume", describeResuming);
    describeClaim("fork", describeForking);
    describeClaim("compact", describeCompacting);
    describeClaim("commands", describeCommands);
    describeClaim("models", describeModels);
    describeClaim("structured-output", describeStructuredOutput);
    // A protocol adapter runs many agents, and some cannot list sessions. The tests of each agent check the list.
    if (protocol === undefined) describeClaim("native-sessions", describeNativeSessions);
    describeClaim("attach", describeAttaching);
    if (capabilities.includes("attach") && capabilities.includes("permissions"))
      describe("attach with an open request", () => describeAttachingToRequest(test, runtime));
  });
}

/** Operations that need a capability. Capabilities that are not listed have no such operation. */
const asking: Partial<Record<Capability, (stage: Stage) => Promise<unknown>>> = {
  permissions: (stage) => stage.open({ permissions: "ask" }),
  plan: (stage) => stage.open({ plan: true }),
  resume: (stage) => stage.open({ resume: "some-session" }),
  cancel: async (stage) => (await stage.open()).connection.cancel(),
  steer: async (stage) => (await stage.open()).steer("to the left"),
  attach: async (stage) => (await stage.open()).connection.detach(),
  "tool-lists": (stage) => request(stage, { tools: { disabled: ["shell"] } }),
  mcp: (stage) => request(stage, { options: { mcpServers: { depths: { command: "depths" } } } }),
};

/** Checks the request as a session does before it connects. */
async function request(
  { adapter, cwd }: Stage,
  wanted: Pick<StartRequest, "tools" | "options">,
): Promise<void> {
  requireCapabilities(adapter, await readRequest({ cwd, ...wanted }));
}

function describeRefusal(test: AdapterTest, capability: Capability): void {
  const ask = asking[capability];
  test.skipIf(ask === undefined)(
    "is rejected as unsupported if the adapter does not declare it",
    async ({ stage }) => {
      await expect(ask?.(stage)).rejects.toMatchObject({ code: "unsupported" });
    },
  );
}
