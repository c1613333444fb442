import type { ConnectionSettings } from "../contracts/adapter.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Returns the changes that affect the runtime. Throws `invalid_input` if `changes` revokes a rule that does not exist. */
export function settingsIn(
  { id, rules = [] }: SessionInfo,
  changes: SessionChanges,
): ConnectionSettings {
  const { name, labels, revoke = [], ...settings } = changes;
  const unknown = revoke.find((ruleId) => !rules.some((rule) => rule.id === ruleId));
  if (unknown === undefined) return settings;
  const message = `Session ${id} has no rule "${unknown}". Run "halyard rules ${id}" to list its rules.`;
  throw new HalyardError("invalid_input", message);
}
