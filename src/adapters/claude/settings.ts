import type { ConnectRequest } from "../../core/adapter.ts";
import { type ModelSource, modelSettings } from "./model.ts";
import { withNativeHooks } from "./native-hooks.ts";
import type { ClaudeOptions } from "./options.ts";

/** The settings of one session, which go before the user's and the project's. */
export function sessionSettings(
  source: ModelSource,
  { settings = {} }: Pick<ClaudeOptions, "settings">,
  { permissions }: Pick<ConnectRequest, "permissions">,
): Record<string, unknown> {
  const env = { ...asRecord(settings.env), ...modelSettings(source) };
  return {
    // Otherwise a model of Anthropic's decides in plan mode what may run, and nobody is asked.
    useAutoModeDuringPlan: false,
    ...(source.kind === "given" && { skipWebFetchPreflight: true }),
    ...settings,
    // A rule that asks would ask under `allow-all` too, also on a screen, where no one answers.
    ...(permissions !== "allow-all" && { permissions: withAskedCommands(settings.permissions) }),
    hooks: withNativeHooks(settings.hooks),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/** Claude runs commands unasked that it takes for harmless, `git status` among them, unless a rule says to ask. */
function withAskedCommands(permissions: unknown): Record<string, unknown> {
  const given = asRecord(permissions);
  const ask = Array.isArray(given.ask) ? given.ask : [];
  return { ...given, ask: [...ask, "Bash", "PowerShell", "Monitor"] };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
