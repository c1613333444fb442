import { homeDirectory } from "../../config/paths.ts";
import type { TrustPaths } from "../../config/trust/user-trust.ts";
import type { Console } from "../console/console.ts";

/** Returns the environment, the home, and the functions that find the settings of runtimes and git. */
export function trustPaths({ env }: Pick<Console, "env">): TrustPaths {
  return {
    env,
    home: homeDirectory(env),
    runtimeSettings: async () =>
      (await import("../../adapters/project-settings.ts")).allProjectSettings,
    gitSettings: async (cwd) =>
      (await import("../../workspace/git/repository-programs.ts")).repositoryPrograms(cwd, env),
  };
}
