import picocolors from "picocolors";
import type { Environment } from "../../config/paths.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Creates colors, which are enabled on a TTY unless NO_COLOR, FORCE_COLOR or TERM=dumb overrides this default. */
export function createColors(isTTY: boolean, env: Environment): Colors {
  return picocolors.createColors(hasColors(isTTY, env));
}

function hasColors(isTTY: boolean, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTTY && env.TERM !== "dumb";
}
