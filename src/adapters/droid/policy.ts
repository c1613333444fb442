import type { ConnectRequest } from "../../contracts/adapter.ts";

type Policy = Pick<ConnectRequest, "permissions" | "plan">;

/** Returns true if Droid runs its tools without permission requests. Always false in a planning session. */
export function skipsPermissions({ permissions, plan }: Policy): boolean {
  return permissions === "allow-all" && !plan;
}

/**
 * Returns Droid's session settings for a policy. With the autonomy level `off`, Droid requests permission for every
 * action that the policy covers.
 */
export function policySettings(policy: Policy): Record<string, unknown> {
  return {
    interactionMode: policy.plan ? "spec" : "auto",
    autonomyLevel: skipsPermissions(policy) ? "high" : "off",
    disabledToolIds: policy.plan ? changingTools : [],
  };
}

/**
 * Tools that are disabled in planning sessions, because Droid's spec mode rejects edits but still runs commands.
 */
export const changingTools: readonly string[] = [
  "execute-cli",
  "create-cli",
  "edit-cli",
  "apply-patch-cli",
  "task-cli",
  "generate-droid-cli",
  "loop-cli",
];
