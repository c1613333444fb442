import { describe, expect, test } from "vitest";
import { describeAttachments } from "./attachments.ts";
import { describeBudgets } from "./budgets.ts";
import { describeChanges } from "./changes.ts";
import { describeConversations } from "./conversations.ts";
import { describeEndings } from "./endings.ts";
import { describeFiles } from "./files.ts";
import type { OpenFixture } from "./fixture.ts";
import { describeHandoffs } from "./handoffs.ts";
import { describeInspection } from "./inspection.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeLimits } from "./limits.ts";
import { describeMetrics } from "./metrics.ts";
import { describePruning } from "./pruning.ts";
import { describeRaces } from "./races.ts";
import { describeRefusals } from "./refusals.ts";
import { describeRequests } from "./requests.ts";
import { describeSearch } from "./search.ts";
import { describeStopping } from "./stopping.ts";
import { describeTurns } from "./turns.ts";
import { describeWindows } from "./windows.ts";

/** Tests the Halyard contract with the fake runtime, in process or remotely. */
export function describeHalyard(name: string, open: OpenFixture): void {
  describe(name, () => {
    test("lists its runtimes with their capabilities [s2.goal.one-interface] [s1.goals.no-single-runtime]", async () => {
      await using fixture = await open();
      const fake = (await fixture.halyard.runtimes()).find((runtime) => runtime.name === "fake");
      expect(fake).toMatchObject({
        displayName: "Fake agent",
        capabilities: expect.arrayContaining(["deltas", "steer", "attach"]),
        availability: { available: true },
      });
    });
    describeTurns(open);
    describeAttachments(open);
    describeConversations(open);
    describeEndings(open);
    describeRequests(open);
    describeLifecycle(open);
    describeStopping(open);
    describeChanges(open);
    describeHandoffs(open);
    describeLimits(open);
    describeBudgets(open);
    describeWindows(open);
    describeSearch(open);
    describeInspection(open);
    describeFiles(open);
    describeRaces(open);
    describeMetrics(open);
    describePruning(open);
    describeRefusals(open);
  });
}
