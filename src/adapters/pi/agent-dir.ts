import { join } from "node:path";

/** Where the user keeps what belongs to Pi: login, models, settings, extensions. */
export function userAgentDir(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME ?? env.USERPROFILE ?? "";
  const named = env.PI_CODING_AGENT_DIR;
  if (named === undefined || named === "") return join(home, ".pi", "agent");
  return named === "~" || named.startsWith("~/") ? join(home, named.slice(1)) : named;
}
