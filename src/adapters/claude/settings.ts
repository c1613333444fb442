import { type ModelSource, modelSettings } from "./model.ts";
import { withNativeHooks } from "./native-hooks.ts";
import type { GivenOptions } from "./options.ts";
import type { RunFiles } from "./run-files.ts";

/** The settings of one session, which go before the user's and the project's. */
export function sessionSettings(
  source: ModelSource,
  { settings = {} }: Pick<GivenOptions, "settings">,
  { end }: Pick<RunFiles, "end">,
): Record<string, unknown> {
  const env = { ...asRecord(settings.env), ...modelSettings(source) };
  return {
    // Otherwise a model of Anthropic's decides in plan mode what may run, and nobody is asked.
    useAutoModeDuringPlan: false,
    ...(source.kind === "given" && { skipWebFetchPreflight: true }),
    ...settings,
    hooks: withNativeHooks(settings.hooks, end),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
