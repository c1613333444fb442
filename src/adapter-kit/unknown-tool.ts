import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";

/**
 * Returns the error for a name in a tool list that the runtime does not have. A runtime ignores such a name, so a misspelled
 * tool would stay enabled.
 */
export function unknownTool(
  displayName: string,
  name: string,
  names: readonly string[],
): HalyardError {
  const suggestion = didYouMean(name, names);
  const message = `tools: ${displayName} has no tool "${name}".${suggestion} Available tools: ${names.join(", ")}.`;
  return new HalyardError("invalid_input", message);
}
