import type { SessionInfo } from "../../schema/session.ts";
import type { CheckResult, RaceInfo } from "../../schema/workspace/race.ts";

/* The labels of a race's sessions. They preserve the result of the race after its process has ended. */

const RACE = "race";
const VERDICT = "race-check";

/** Returns the labels of a session that takes part in a race. */
export function raceLabels(id: string): Record<string, string> {
  return { [RACE]: id };
}

/** Returns the label that records how a race ended for a session. */
export function verdictLabel(
  check: CheckResult | undefined,
  { isCancelled }: { readonly isCancelled: boolean },
): Record<string, string> {
  if (isCancelled) return { [VERDICT]: "cancelled" };
  if (!check) return { [VERDICT]: "none" };
  return { [VERDICT]: check.passed ? "passed" : "failed" };
}

/**
 * Reads the result of the check, and how the race ended for a session, from the session's labels. The state is `lost` if
 * no label records how the race ended.
 */
export function readVerdict({ labels }: Pick<SessionInfo, "labels">): {
  readonly state: Exclude<RaceInfo["state"], "running">;
  readonly check?: CheckResult;
} {
  switch (labels[VERDICT]) {
    case "passed":
      return { state: "done", check: { passed: true, output: "" } };
    case "failed":
      return { state: "done", check: { passed: false, output: "" } };
    case "none":
      return { state: "done" };
    case "cancelled":
      return { state: "cancelled" };
    default:
      return { state: "lost" };
  }
}
