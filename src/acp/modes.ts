import { HalyardError } from "../core/error.ts";
import { isLooser, PermissionPolicy } from "../schema/permission.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";

/** What a session does by itself, in a word: a policy, or nothing but planning. */
export interface Mode {
  readonly id: PermissionPolicy | "plan";
  readonly name: string;
  readonly description: string;
}

const modes: readonly Mode[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes a file or runs a command" },
  { id: "allow-edits", name: "Allow edits", description: "Edits files, and asks for the rest" },
  { id: "allow-all", name: "Allow all", description: "Does everything without asking" },
  { id: "deny", name: "Only look", description: "Reads and searches; all else is denied" },
  { id: "plan", name: "Plan", description: "Looks and plans, but changes nothing" },
];

/** The modes that a session can be put into. */
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

/** What has to change for a session to be in that mode. */
export function toMode(info: SessionInfo, id: string): SessionChanges {
  if (id === "plan") return { plan: true };
  const policy = PermissionPolicy.safeParse(id);
  if (!policy.success) {
    const known = modes.map((mode) => mode.id).join(", ");
    throw new HalyardError("invalid_input", `there is no mode ${id}; there are ${known}`);
  }
  return { permissions: policy.data, ...(info.plan && { plan: false }) };
}
