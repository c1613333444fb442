import type { Adapter } from "../contracts/adapter.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";
import type { ToolLists } from "../schema/session/start-request.ts";

/**
 * Checks the names of a session's tool lists. A runtime ignores names that it does not know, so a misspelled name in
 * `disabled` would leave the tool enabled. Throws `invalid_input` for a misspelled built-in tool. Returns a warning for
 * every other unknown name, which may belong to an extension's tool. Returns no warnings if the adapter does not list its
 * built-in tools.
 */
export function checkToolNames(
  { displayName, builtInTools = [] }: Pick<Adapter, "displayName" | "builtInTools">,
  { enabled = [], disabled = [] }: ToolLists = {},
): string[] {
  if (builtInTools.length === 0) return [];
  const warnings: string[] = [];
  for (const text of new Set([...enabled, ...disabled])) {
    const name = text.replace(PATTERN, "");
    if (builtInTools.includes(name) || name.startsWith(MCP_PREFIX)) continue;
    const message = `tools: ${displayName} has no built-in tool "${name}".`;
    const suggestion = didYouMean(name, builtInTools);
    if (suggestion !== "") throw new HalyardError("invalid_input", `${message}${suggestion}`);
    warnings.push(`${message} Built-in tools: ${builtInTools.join(", ")}.`);
  }
  return warnings;
}

/** Matches the arguments in a rule such as `Bash(git push:*)`, which are not part of the tool name. */
const PATTERN = /\(.*$/s;

const MCP_PREFIX = "mcp_";
