import type { Config } from "../config/config.ts";
import { resolveRuntime } from "../config/resolve-runtime.ts";
import type { ProjectOptions } from "../schema/project/project-options.ts";
import type { RuntimeInfo } from "../schema/runtimes/runtime-info.ts";
import { limitsIn } from "./limits.ts";

/** Returns the runtimes and named models that a new project can choose from, and its default limits. Contains no keys. */
export function projectOptions(config: Config, runtimes: readonly RuntimeInfo[]): ProjectOptions {
  const { runtime: resolved } = resolveRuntime(config);
  const configured = config.server?.value?.agent_runtime;
  const usable = runtimes.filter(
    ({ name, added, availability }) =>
      availability.available && (added || usual.includes(name) || name === configured),
  );
  const { models = {}, defaults } = config.models?.value ?? {};
  return {
    agent_runtimes: {
      available: usable.map(({ name }) => name),
      default: configured ?? resolved,
      resolved,
      details: runtimes.map(detailsOf),
    },
    limits: limitsIn(config),
    models: {
      available: Object.entries(models).map(([name, { model, displayName, api }]) => ({
        name,
        model,
        ...(displayName !== undefined && { display_name: displayName }),
        ...(api !== undefined && { api }),
      })),
      ...(defaults?.session_model !== undefined && { default: defaults.session_model }),
    },
  };
}

/**
 * The runtimes that are listed if they are available. Another available runtime is listed only if the user added it or
 * it is the server's default.
 */
const usual: readonly string[] = ["droid", "opencode"];

function detailsOf({ name, displayName: description, availability }: RuntimeInfo) {
  if (!availability.available) {
    const { reason, hint } = availability;
    return { name, description, available: false, reason, hint };
  }
  const { version } = availability;
  return { name, description, available: true, ...(version !== undefined && { version }) };
}
