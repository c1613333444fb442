import type { ConnectRequest } from "../../contracts/adapter.ts";
import { judgedKind } from "../../permissions/judged-kind.ts";
import type { Tool } from "./events/tools.ts";

type Policy = Pick<ConnectRequest, "plan" | "permissions">;

/**
 * Decides about a tool without a permission request. A planning session denies every tool whose kind is not `read` or
 * `search`. Any other session with the policy `allow-all` allows every tool. Returns undefined if a permission request
 * is necessary.
 */
export function decide({ plan, permissions }: Policy, tool: Tool): "allow" | "deny" | undefined {
  const kind = judgedKind({ tool });
  if (plan) return kind === "read" || kind === "search" ? undefined : "deny";
  return permissions === "allow-all" ? "allow" : undefined;
}

/** True if the agent should use a mode in which it requests permission. */
export function wantsAsking({ plan, permissions }: Policy): boolean {
  return plan || permissions !== "allow-all";
}

/** Names that agents use for a mode that changes nothing. */
export const planModes = ["plan", "spec", "architect"];

/** Names that agents use for a mode that requests permission for changes. */
export const askingModes = ["default", "normal", "ask", "manual", "read-only"];
