import { HalyardError } from "../errors/error.ts";
import { isLooser, PermissionPolicy } from "../schema/permission.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";

/** A mode of a session: a permission policy or plan mode. */
export interface Mode {
  readonly id: PermissionPolicy | "plan";
  readonly name: string;
  readonly description: string;
}

const modes: readonly Mode[] = [
  { id: "ask", name: "Ask", description: "Asks before changing a file or running a command" },
  {
    id: "allow-edits",
    name: "Allow edits",
    description: "Edits files and asks for everything else",
  },
  { id: "allow-all", name: "Allow all", description: "Runs everything without asking" },
  { id: "deny", name: "Read only", description: "Reads and searches; denies everything else" },
  { id: "plan", name: "Plan", description: "Reads and plans without changing anything" },
];

/** Returns the modes that a runtime with these capabilities supports and that are not looser than `limit`. */
export function modesOf(
  capabilities: readonly Capability[],
  limit: PermissionPolicy = "allow-all",
): Mode[] {
  return modes.filter(({ id }) =>
    id === "plan" ? capabilities.includes("plan") : !isLooser(id, limit),
  );
}

export function currentMode({ plan, permissions }: SessionInfo): Mode["id"] {
  return plan ? "plan" : permissions;
}

/** Returns the changes that set a mode. Throws `invalid_input` if the mode does not exist. */
export function toMode(info: SessionInfo, id: string): SessionChanges {
  if (id === "plan") return { plan: true };
  const policy = PermissionPolicy.safeParse(id);
  if (!policy.success) {
    const known = modes.map((mode) => mode.id).join(", ");
    throw new HalyardError(
      "invalid_input",
      `The mode "${id}" does not exist. Choose one of: ${known}.`,
    );
  }
  return { permissions: policy.data, ...(info.plan && { plan: false }) };
}
