import type { ConnectRequest } from "../../contracts/adapter.ts";

type Policy = Pick<ConnectRequest, "permissions" | "plan">;

/** Returns true if Droid runs its tools without asking. Always false in plan mode. */
export function skipsPermissions({ permissions, plan }: Policy): boolean {
  return permissions === "allow-all" && !plan;
}

/** Returns Droid's session settings for a policy. Autonomy `off` asks for everything that the policy judges. */
export function policySettings(policy: Policy): Record<string, unknown> {
  return {
    interactionMode: policy.plan ? "spec" : "auto",
    autonomyLevel: skipsPermissions(policy) ? "high" : "off",
    disabledToolIds: policy.plan ? changingTools : [],
  };
}

/** Tools that are disabled in planning sessions. In its planning mode, Droid rejects edits but runs commands. */
export const changingTools: readonly string[] = [
  "execute-cli",
  "create-cli",
  "edit-cli",
  "apply-patch-cli",
  "task-cli",
  "generate-droid-cli",
  "loop-cli",
];
