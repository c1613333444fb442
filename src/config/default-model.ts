import type { RuntimeName } from "../schema/runtime.ts";
import { settingsOfAgent } from "./agents.ts";
import type { Config } from "./config.ts";
import { effectiveSettings } from "./effective-settings.ts";
import type { ModelSources } from "./model-choice.ts";

/**
 * The model for a session whose request names none: the agent's before the project's, before the server's for Droid,
 * before the settings', before the default of `models.json`. Undefined where nobody says: the runtime's own choice.
 */
export function defaultModel(
  config: Config,
  runtime: RuntimeName,
  agentId?: string,
): string | undefined {
  const { server, project, models } = config;
  return (
    settingsOfAgent(config, agentId).model ??
    project?.value?.model ??
    (runtime === "droid" ? server?.value?.droid?.default_model : undefined) ??
    effectiveSettings(config).model ??
    models?.value?.defaults.session_model
  );
}

/** The models by name, and whether a key of the user's may go to them. */
export function modelSources({ models }: Config): Pick<ModelSources, "models" | "untrusted"> {
  if (models?.value === undefined) return {};
  const { value, isTrusted, directory } = models;
  return { models: value, ...(!isTrusted && { untrusted: directory }) };
}
