import { describe } from "vitest";
import { createAdapterTest } from "../../src/testing/adapter-suite/adapter-test.ts";
import { describeCancel } from "../../src/testing/adapter-suite/cancel.ts";
import { describeEnding } from "../../src/testing/adapter-suite/ending.ts";
import { describeMcp } from "../../src/testing/adapter-suite/mcp.ts";
import {
  describeDeltas,
  describeReasoning,
  describeUsage,
} from "../../src/testing/adapter-suite/messages.ts";
import { describePermissions } from "../../src/testing/adapter-suite/permissions.ts";
import {
  describeAttaching,
  describeAttachingToRequest,
  describeResuming,
} from "../../src/testing/adapter-suite/resuming.ts";
import type { RuntimeUnderTest } from "../../src/testing/adapter-suite/runtime-under-test.ts";
import { describePlanning, describeTools } from "../../src/testing/adapter-suite/tools.ts";
import { smallRuntime } from "./small-runtime.ts";

type Describe = (test: ReturnType<typeof createAdapterTest>, runtime: RuntimeUnderTest) => void;

/** The suites that apply to protocol version 1, which supports neither system prompts nor replaced messages. */
const suites = {
  "process end": describeEnding,
  deltas: describeDeltas,
  reasoning: describeReasoning,
  usage: describeUsage,
  tools: describeTools,
  mcp: describeMcp,
  permissions: describePermissions,
  plan: describePlanning,
  cancel: describeCancel,
  resume: describeResuming,
  attach: describeAttaching,
  "attach with an open request": describeAttachingToRequest,
} as const satisfies Record<string, Describe>;

/** Tests a small agent that uses protocol version 1 and has a quirk. Runs all suites, or only the given ones. */
export function describeVersion1(
  quirk: string,
  names: readonly (keyof typeof suites)[] = Object.keys(suites) as (keyof typeof suites)[],
): void {
  const runtime = smallRuntime(1, quirk);
  const test = createAdapterTest(runtime);
  describe(`ACP agent, version 1 ${quirk}`, { timeout: 60_000 }, () => {
    for (const name of names) describe(name, () => suites[name](test, runtime));
  });
}
