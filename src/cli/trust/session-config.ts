import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { userTrust } from "../../config/trust/user-trust.ts";
import type { Console } from "../console/console.ts";
import type { SessionPaths } from "../session-paths.ts";
import { trustPaths } from "./trust-paths.ts";

/**
 * Loads the configuration that applies to a session in a directory. Files that the user accepted at the trust prompt,
 * and worktrees of a trusted repository, count as trusted.
 */
export async function loadSessionConfig(
  paths: SessionPaths,
  console: Pick<Console, "env">,
): Promise<Config> {
  const trust = trustPaths(console);
  const { trusted } = await userTrust(paths.cwd, trust);
  return loadConfig({ ...paths, env: trust.env, home: trust.home, trusted });
}
