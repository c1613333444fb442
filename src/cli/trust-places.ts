import { homeDirectory } from "../config/paths.ts";
import type { TrustPlaces } from "../config/trust/user-trust.ts";
import type { Terminal } from "./terminal.ts";

/** Where a command finds the user's decisions about directories. */
export function trustPlaces({ env }: Pick<Terminal, "env">): TrustPlaces {
  return {
    env,
    home: homeDirectory(env),
    runtimeSettings: async () =>
      (await import("../adapters/project-settings.ts")).builtInProjectSettings,
  };
}
