import picocolors from "picocolors";
import type { Environment } from "../../config/paths.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours are for terminals, unless the user wants them elsewhere, or not at all. */
export function createColors(isTerminal: boolean, env: Environment): Colors {
  return picocolors.createColors(isColourful(isTerminal, env));
}

function isColourful(isTerminal: boolean, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTerminal && env.TERM !== "dumb";
}
