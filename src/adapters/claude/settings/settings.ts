import { type ModelSource, modelSettings } from "../model.ts";
import type { GivenOptions } from "../options.ts";
import { withNativeHooks } from "./native-hooks.ts";
import type { RunFiles } from "./run-files.ts";

/** Returns a session's settings, which take precedence over the user's and the project's. */
export function sessionSettings(
  source: ModelSource,
  { settings = {} }: Pick<GivenOptions, "settings">,
  { end }: Pick<RunFiles, "end">,
): Record<string, unknown> {
  const env = { ...asRecord(settings.env), ...modelSettings(source) };
  return {
    // Disabled, because in plan mode one of Anthropic's models would otherwise decide which tools run without a
    // permission request.
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
