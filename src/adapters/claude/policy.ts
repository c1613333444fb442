import type { ConnectRequest } from "../../core/adapter.ts";

type Policy = Pick<ConnectRequest, "plan" | "permissions">;

/**
 * Returns Claude's permission mode for a policy. Claude asks for everything that the policy judges: its own `acceptEdits`
 * would also edit what `allow-edits` asks for, such as a file in `.git`.
 */
export function permissionMode({ plan, permissions }: Policy): string {
  if (plan) return "plan";
  return permissions === "allow-all" ? "bypassPermissions" : "default";
}

/**
 * Returns the permission mode for a session that runs. Claude bypasses permissions only if it was started so; otherwise it
 * asks, and the core allows everything.
 */
export function laterPermissionMode(policy: Policy, started: Policy): string {
  const mode = permissionMode(policy);
  const isBarred = mode === "bypassPermissions" && permissionMode(started) !== mode;
  return isBarred ? "default" : mode;
}

/** Claude's tools that run commands. */
export const commandTools = ["Bash", "PowerShell", "Monitor"];

/**
 * True if Claude has to ask for every command. By itself it runs commands that it considers harmless, such as `git status`.
 * A plan asks under `allow-all` too, so that its commands can be denied; after the plan the core allows them.
 */
export function asksForCommands({ permissions, plan }: Policy): boolean {
  return plan || permissions !== "allow-all";
}

/** Adds the rules by which Claude asks for every command to a session's settings, if the policy requires them. */
export function withAskedCommands(
  settings: Readonly<Record<string, unknown>>,
  policy: Policy,
): Record<string, unknown> {
  return asksForCommands(policy)
    ? { ...settings, permissions: askingRules(settings.permissions) }
    : { ...settings };
}

/** Returns the `permissions` of Claude's settings with the rules by which it asks for every command. */
export function askingRules(permissions: unknown): Record<string, unknown> {
  const given = typeof permissions === "object" && permissions !== null ? { ...permissions } : {};
  const ask = "ask" in given && Array.isArray(given.ask) ? given.ask : [];
  return { ...given, ask: [...new Set([...ask, ...commandTools])] };
}
