import { join } from "node:path";
import { type Environment, homeIn } from "../../programs/environment.ts";

/** Returns the user's Pi directory, which contains the login, models, settings and extensions. */
export function userAgentDir(env: Environment): string {
  const home = homeIn(env);
  const named = env.PI_CODING_AGENT_DIR;
  if (named === undefined || named === "") return join(home, ".pi", "agent");
  return named === "~" || named.startsWith("~/") ? join(home, named.slice(1)) : named;
}
