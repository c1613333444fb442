import type { ConnectRequest } from "../../core/adapter.ts";
import { type ModelSource, modelSettings } from "./model.ts";
import { withNativeHooks } from "./native-hooks.ts";
import type { ClaudeOptions } from "./options.ts";

/** The settings of one session, which go before the user's and the project's. */
export function sessionSettings(
  source: ModelSource,
  { settings = {} }: Pick<ClaudeOptions, "settings">,
): Record<string, unknown> {
  const env = { ...asRecord(settings.env), ...modelSettings(source) };
  return {
    // Otherwise a model of Anthropic's decides in plan mode what may run, and nobody is asked.
    useAutoModeDuringPlan: false,
    ...(source.kind === "given" && { skipWebFetchPreflight: true }),
    ...settings,
    hooks: withNativeHooks(settings.hooks),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/**
 * Adds rules by which Claude asks for every command: it runs commands unasked that it takes for harmless, `git status`
 * among them. A rule would ask under `allow-all` too, so that policy gets none.
 */
export function withAskedCommands(
  settings: Record<string, unknown>,
  { permissions }: Pick<ConnectRequest, "permissions">,
): Record<string, unknown> {
  if (permissions === "allow-all") return settings;
  const given = asRecord(settings.permissions);
  const ask = Array.isArray(given.ask) ? given.ask : [];
  return { ...settings, permissions: { ...given, ask: [...ask, ...commandTools] } };
}

/** Claude's tools that run commands. */
export const commandTools = ["Bash", "PowerShell", "Monitor"];

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
