import type { ConnectRequest } from "../../core/adapter.ts";
import type { Tool } from "./tools.ts";

/**
 * What is decided without anybody being asked: everything is allowed where the session allows it, and in a plan
 * nothing that could change something is. Undefined for what the session's policy has to judge.
 */
export function decide(
  { plan, permissions }: Pick<ConnectRequest, "plan" | "permissions">,
  { kind }: Tool,
): "allow" | "deny" | undefined {
  if (plan) return kind === "read" || kind === "search" ? undefined : "deny";
  return permissions === "allow-all" ? "allow" : undefined;
}
