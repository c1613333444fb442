import type { ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";

/**
 * Returns the permissions for a server's configuration. The last matching rule applies, so the general rule comes
 * first.
 */
export function permissionRules({
  permissions,
  hasRipgrep,
}: {
  readonly permissions: PermissionPolicy;
  /** True if ripgrep is installed. Otherwise, OpenCode would download it at the first search. */
  readonly hasRipgrep: boolean;
}): Record<string, string | Readonly<Record<string, string>>> {
  const search = hasRipgrep ? "allow" : "deny";
  if (permissions === "allow-all")
    return {
      "*": "allow",
      edit: "allow",
      bash: { "*": "allow" },
      ...(!hasRipgrep && { glob: search, grep: search }),
    };
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

/** A session's permission rule. It overrides the configuration; a `deny` also applies to subagents. */
export interface SessionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
}

/**
 * Returns a session's rules. A planning session denies edits and commands. The model does not see denied tools. Throws
 * `unsupported` if a list names a tool that OpenCode cannot enable or disable alone.
 */
export function sessionRules(
  request: Pick<ConnectRequest, "plan" | "permissions" | "tools">,
): SessionRule[] {
  const { plan, permissions, tools: { enabled, disabled = [] } = {} } = request;
  for (const name of [...(enabled ?? []), ...disabled])
    if (editing.has(name)) throw needsEditPermission(name);
  const defaultAction = permissions === "allow-all" ? "allow" : "ask";
  const changing = rules(["edit", "bash"], plan ? "deny" : defaultAction);
  const denied = rules(disabled, "deny");
  if (enabled === undefined) return [...changing, ...denied];
  const others = [...enabled, ...otherPermissions].filter((name) => !changes(name));
  const wanted = changing.filter(({ permission }) => enabled.includes(permission));
  return [...rules(["*"], "deny"), ...rules(others, defaultAction), ...wanted, ...denied];
}

const changes = (name: string): boolean => name === "edit" || name === "bash";

/** OpenCode permissions that are not tools. */
const otherPermissions = ["external_directory", "doom_loop"];

/** The tools, in addition to `edit` itself, to which OpenCode's permission `edit` applies. */
const editing: ReadonlySet<string> = new Set(["write", "patch", "apply_patch", "multiedit"]);

/** OpenCode's built-in tools. */
export const opencodeTools = [
  "bash",
  "codesearch",
  "edit",
  "glob",
  "grep",
  "list",
  "lsp",
  "question",
  "read",
  "skill",
  "task",
  "todoread",
  "todowrite",
  "webfetch",
  "websearch",
  ...editing,
];

function needsEditPermission(name: string): HalyardError {
  const message = `tools: OpenCode cannot enable or disable "${name}" alone. Use "edit", which covers all tools that edit files.`;
  return new HalyardError("unsupported", message);
}

function rules(permissions: readonly string[], action: SessionRule["action"]): SessionRule[] {
  return permissions.map((permission) => ({ permission, pattern: "*", action }));
}
