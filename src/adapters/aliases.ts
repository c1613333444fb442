import type { RuntimeName } from "../schema/runtime.ts";

/** What people call some runtimes, and what they are called here. */
const aliases: ReadonlyMap<string, RuntimeName> = new Map([
  ["claude-agent-sdk", "ccsdk"],
  ["claude-code", "claude"],
  ["claude-code-sdk", "ccsdk"],
  ["claude-sdk", "ccsdk"],
  ["codex-cli", "codex"],
  ["factory", "droid"],
  ["factory-droid", "droid"],
  ["open-code", "opencode"],
  ["pi-agent", "pi"],
  ["pi-coding-agent", "pi"],
]);

/** The name that a runtime goes by here; one that is no other name of any stays what it is. */
export function canonicalName(name: string): RuntimeName {
  return aliases.get(name) ?? name;
}
