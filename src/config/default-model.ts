import type { RuntimeName } from "../schema/runtime.ts";
import { settingsOfAgent } from "./agents.ts";
import type { Config } from "./config.ts";
import { effectiveSettings } from "./effective-settings.ts";
import type { ModelSources } from "./model-choice.ts";

/** The model for a session whose request names none. Undefined if no file names one: the runtime's own choice. */
export function defaultModel(
  config: Config,
  runtime: RuntimeName,
  agentId?: string,
): string | undefined {
  return defaultModelSource(config, runtime, agentId)?.model;
}

/**
 * The same with the file that names it: the agent's before the project's, before the server's for Droid, before the
 * settings', before the default of `models.json`.
 */
export function defaultModelSource(
  config: Config,
  runtime: RuntimeName,
  agentId?: string,
): { readonly model: string; readonly by: string } | undefined {
  const { server, project, models, settings, userSettings } = config;
  const hasModel = settings?.value?.model !== undefined;
  const isDroid = runtime === "droid";
  const places = [
    [settingsOfAgent(config, agentId).model, "agents"],
    [project?.value?.model, project?.path],
    [isDroid ? server?.value?.droid?.default_model : undefined, server?.path],
    [effectiveSettings(config).model, hasModel ? settings.path : userSettings?.path],
    [models?.value?.defaults.session_model, models?.path],
  ] as const;
  for (const [model, by = ""] of places) if (model !== undefined) return { model, by };
  return undefined;
}

/** The models by name, and the directory that they come from, whether it is trusted or not. */
export function modelSources({
  models,
}: Config): Pick<ModelSources, "models" | "untrusted" | "from"> {
  if (models?.value === undefined) return {};
  const { value, isTrusted, isUsers = false, directory } = models;
  if (!isTrusted) return { models: value, untrusted: directory };
  return { models: value, ...(!isUsers && { from: directory }) };
}
