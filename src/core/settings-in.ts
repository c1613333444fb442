import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { Settings } from "./adapter.ts";
import { HalyardError } from "./error.ts";

/** Returns those changes that the runtime has to make. Throws if a rule that is to be revoked does not exist. */
export function settingsIn({ id, rules = [] }: SessionInfo, changes: SessionChanges): Settings {
  const { name, labels, revoke = [], ...settings } = changes;
  const unknown = revoke.find((ruleId) => !rules.some((rule) => rule.id === ruleId));
  if (unknown === undefined) return settings;
  const message = `Session ${id} has no rule "${unknown}". Run "halyard rules ${id}" to list its rules.`;
  throw new HalyardError("invalid_input", message);
}
