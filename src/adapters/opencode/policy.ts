import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";

/** Returns the permissions of a server's configuration. The last rule that fits counts, so the general one comes first. */
export function permissionRules({
  permissions,
  hasRipgrep,
}: {
  readonly permissions: PermissionPolicy;
  /** Without it, OpenCode would fetch it over the network at the first search. */
  readonly hasRipgrep: boolean;
}): Record<string, string> {
  const search = hasRipgrep ? "allow" : "deny";
  if (permissions === "allow-all")
    return hasRipgrep ? { "*": "allow" } : { "*": "allow", glob: search, grep: search };
  return {
    "*": "ask",
    edit: "ask",
    bash: "ask",
    webfetch: "ask",
    websearch: "ask",
    external_directory: "ask",
    doom_loop: "ask",
    read: "allow",
    list: "allow",
    lsp: "allow",
    glob: search,
    grep: search,
    skill: "allow",
    task: "allow",
    todoread: "allow",
    todowrite: "allow",
    question: "allow",
  };
}

/** One rule of a session's own, which go before all configuration and, where they deny, are its subagents' too. */
export interface SessionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
}

/** A plan changes nothing, whatever else is allowed; a shell would. A tool that is denied is not even offered. */
export function sessionRules(
  request: Pick<ConnectRequest, "plan" | "permissions" | "tools">,
): SessionRule[] {
  const { plan, permissions, tools: { enabled, disabled = [] } = {} } = request;
  for (const name of [...(enabled ?? []), ...disabled])
    if (editing.has(name)) throw onlyAsOne(name);
  const usual = permissions === "allow-all" ? "allow" : "ask";
  const changing = rules(["edit", "bash"], plan ? "deny" : usual);
  const denied = rules(disabled, "deny");
  if (enabled === undefined) return [...changing, ...denied];
  const others = [...enabled, ...circumstances].filter((name) => !changes(name));
  const wanted = changing.filter(({ permission }) => enabled.includes(permission));
  return [...rules(["*"], "deny"), ...rules(others, usual), ...wanted, ...denied];
}

const changes = (name: string): boolean => name === "edit" || name === "bash";

/** What OpenCode asks permission for that is no tool. */
const circumstances = ["external_directory", "doom_loop"];

/** OpenCode has one permission for all tools that change files, and offers or withholds them together. */
const editing: ReadonlySet<string> = new Set(["write", "patch", "apply_patch", "multiedit"]);

function onlyAsOne(name: string): HalyardError {
  const message = `tools: OpenCode has ${name} only together with the others that edit: say edit`;
  return new HalyardError("unsupported", message);
}

function rules(permissions: readonly string[], action: SessionRule["action"]): SessionRule[] {
  return permissions.map((permission) => ({ permission, pattern: "*", action }));
}
