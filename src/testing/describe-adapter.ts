import { describe, expect } from "vitest";
import { readRequest, requireCapabilities } from "../core/session-request.ts";
import type { Capability } from "../schema/runtime.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type AdapterTest, createAdapterTest } from "./adapter-suite/adapter-test.ts";
import { describeCancelling, describeSteering } from "./adapter-suite/cancelling.ts";
import { describeEnding } from "./adapter-suite/ending.ts";
import { describeFailures } from "./adapter-suite/failures.ts";
import { describeMcp } from "./adapter-suite/mcp.ts";
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
import {
  describeDeltas,
  describeReasoning,
  describeUsage,
  describeWords,
} from "./adapter-suite/words.ts";

/**
 * What an adapter owes the core, shown on the real program with a scripted model: each capability it claims is
 * proven, and each that it does not claim is refused with `unsupported`. To be called at the top of a test file.
 */
export function describeAdapter(name: string, runtime: RuntimeUnderTest): void {
  const test = createAdapterTest(runtime);
  const { capabilities } = runtime.createAdapter({ env: {}, directory: "" });
  const describeClaim = (capability: Capability, prove: typeof describeTools): void => {
    describe(capability, () => {
      if (capabilities.includes(capability)) prove(test, runtime);
      else describeRefusal(test, capability);
    });
  };

  describe(name, { timeout: 60_000 }, () => {
    test("is available", async ({ stage }) => {
      expect(await stage.adapter.probe()).toMatchObject({ available: true });
    });
    describe("words", () => describeWords(test, runtime));
    describe("its end", () => describeEnding(test, runtime));
    describe("failures of the model", () => describeFailures(test, runtime));
    describeClaim("deltas", describeDeltas);
    describeClaim("reasoning", describeReasoning);
    describeClaim("usage", describeUsage);
    describeClaim("tools", describeTools);
    describeClaim("tool-lists", describeToolLists);
    describeClaim("mcp", describeMcp);
    describeClaim("permissions", describePermissions);
    describeClaim("plan", describePlanning);
    describeClaim("settings", describeSettings);
    describeClaim("cancel", describeCancelling);
    describeClaim("steer", describeSteering);
    describeClaim("resume", describeResuming);
    describeClaim("attach", describeAttaching);
    if (capabilities.includes("attach") && capabilities.includes("permissions"))
      describe("a request", () => describeAttachingToRequest(test, runtime));
  });
}

/** What asks for a capability; the others are only ever missed. */
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

/** What the core asks before it has the adapter connect. */
async function request(
  { adapter, cwd }: Stage,
  wanted: Pick<StartRequest, "tools" | "options">,
): Promise<void> {
  requireCapabilities(adapter, await readRequest({ cwd, ...wanted }));
}

function describeRefusal(test: AdapterTest, capability: Capability): void {
  const ask = asking[capability];
  test.skipIf(ask === undefined)("is refused, for it is not claimed", async ({ stage }) => {
    await expect(ask?.(stage)).rejects.toMatchObject({ code: "unsupported" });
  });
}
