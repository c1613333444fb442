import type { ConnectRequest } from "../../contracts/adapter.ts";

type Policy = Pick<ConnectRequest, "plan" | "permissions">;

/**
 * Returns Claude's permission mode for a policy. In the `default` mode, Claude requests permission, and the policy
 * decides each request. Halyard does not use Claude's `acceptEdits` mode, because that mode also edits files
 * for which `allow-edits` asks, such as files in `.git`.
 */
export function permissionMode({ plan, permissions }: Policy): string {
  if (plan) return "plan";
  return permissions === "allow-all" ? "bypassPermissions" : "default";
}

/**
 * Returns the permission mode for a running session. Claude can switch to `bypassPermissions` only if it was started in
 * that mode. If it was not, returns `default` for `allow-all`: Claude requests permission, and the session allows every
 * request.
 */
export function laterPermissionMode(policy: Policy, started: Policy): string {
  const mode = permissionMode(policy);
  const isUnavailable = mode === "bypassPermissions" && permissionMode(started) !== mode;
  return isUnavailable ? "default" : mode;
}

/** The names of Claude's tools that run commands. */
export const commandTools = ["Bash", "PowerShell", "Monitor"];

/**
 * True if Claude must request permission for every command. By default, Claude runs commands that it considers
 * harmless, such as `git status`, without a request. Plan mode requires permission even under `allow-all`, so that the
 * session can deny commands. After the plan, the session allows commands under `allow-all`.
 */
export function requiresCommandPermission({ permissions, plan }: Policy): boolean {
  return plan || permissions !== "allow-all";
}

/** Adds the rules that require permission for every command to a session's settings, if the policy needs them. */
export function withCommandPermission(
  settings: Readonly<Record<string, unknown>>,
  policy: Policy,
): Record<string, unknown> {
  return requiresCommandPermission(policy)
    ? { ...settings, permissions: commandPermissionRules(settings.permissions) }
    : { ...settings };
}

/** Returns the `permissions` of Claude's settings with the added rules that require permission for every command. */
export function commandPermissionRules(permissions: unknown): Record<string, unknown> {
  const given = typeof permissions === "object" && permissions !== null ? { ...permissions } : {};
  const ask = "ask" in given && Array.isArray(given.ask) ? given.ask : [];
  return { ...given, ask: [...new Set([...ask, ...commandTools])] };
}
