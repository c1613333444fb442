import type { ConnectRequest } from "../../core/adapter.ts";
import type { Tool } from "./tools.ts";

type Policy = Pick<ConnectRequest, "plan" | "permissions">;

/**
 * What is decided without anybody being asked: everything is allowed where the session allows it, and in a plan
 * nothing that could change something is. Undefined for what the session's policy has to judge.
 */
export function decide(
  { plan, permissions }: Policy,
  { kind }: Tool,
): "allow" | "deny" | undefined {
  if (plan) return kind === "read" || kind === "search" ? undefined : "deny";
  return permissions === "allow-all" ? "allow" : undefined;
}

/** Returns true if the agent should be in a mode in which it asks. */
export function wantsAsking({ plan, permissions }: Policy): boolean {
  return plan || permissions !== "allow-all";
}

/** What agents call a mode in which nothing is changed. */
export const planModes = ["plan", "spec", "architect"];

/** What they call one in which they ask before they change anything. */
export const askingModes = ["default", "normal", "ask", "manual", "read-only"];
