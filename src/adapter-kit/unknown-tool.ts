import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";

/**
 * Returns the error for an unknown name in a list of tools. The runtime would ignore the name, so a tool that the user
 * meant to disable would stay enabled.
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
