import type { RuntimeName } from "../runtime.ts";

/** The runtime that is used if no source names one. */
export const defaultRuntime: RuntimeName = "pi";

/** The runtimes that `auto` stands for, with and without a key in `factory.json`. */
export const autoRuntimes = { withKey: "droid", withoutKey: "opencode" } as const;

/**
 * The runtimes that a file in an untrusted directory may select, because Halyard starts them without running any of the
 * project's programs.
 */
export const seedRuntimes: ReadonlySet<RuntimeName> = new Set([
  "claude",
  "codex",
  "droid",
  "opencode",
  "pi",
  "ccsdk",
]);

/** Other names of built-in runtimes. */
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

/** Returns the built-in runtime for an alias, or the name itself if it is not an alias. */
export function canonicalName(name: string): RuntimeName {
  return aliases.get(name) ?? name;
}
