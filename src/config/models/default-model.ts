import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { AGENT_LABEL, settingsOfAgent } from "../agents.ts";
import type { Config } from "../config.ts";
import { effectiveSettings } from "../effective-settings.ts";
import type { Environment } from "../paths.ts";
import type { ModelFlags, ModelSources } from "./model-choice.ts";

/** Returns the default model of a session, or undefined if no file names a model, so that the runtime chooses. */
export function defaultModel(
  config: Config,
  runtime: RuntimeName,
  agentId?: string,
): string | undefined {
  return defaultModelSource(config, runtime, agentId)?.model;
}

/**
 * Returns the default model and its source: a file, or `agents` for the agent's settings. Order of precedence: agent,
 * project, `server.json` for Droid, settings, the default in `models.json`.
 */
function defaultModelSource(
  config: Config,
  runtime: RuntimeName,
  agentId?: string,
): { readonly model: string; readonly by: string } | undefined {
  const { server, project, models, settings, userSettings } = config;
  const hasModel = settings?.value?.model !== undefined;
  const isDroid = runtime === "droid";
  const paths = [
    [settingsOfAgent(config, agentId).model, "agents"],
    [project?.value?.model, project?.path],
    [isDroid ? server?.value?.droid?.default_model : undefined, server?.path],
    [effectiveSettings(config).model, hasModel ? settings.path : userSettings?.path],
    [models?.value?.defaults.session_model, models?.path],
  ] as const;
  for (const [model, by = ""] of paths) if (model !== undefined) return { model, by };
  return undefined;
}

/**
 * Returns the source of a session's model: the request, `HALYARD_MODEL`, `agents` for the agent's settings, or a file.
 * Returns `no file names a model` if no source names a model.
 */
export function modelSource(
  config: Config,
  { model, labels }: { readonly model?: ModelEndpoint | undefined; readonly labels: Labels },
  { runtime, env, flags, usesVariables = false }: ModelContext,
): string {
  if (model !== undefined || flags?.model !== undefined) return "request";
  if (usesVariables && env.HALYARD_MODEL) return "HALYARD_MODEL";
  return defaultModelSource(config, runtime, labels[AGENT_LABEL])?.by ?? "no file names a model";
}

type Labels = Readonly<Record<string, string>>;

/** The values besides the files that determine a session's model. */
interface ModelContext {
  readonly runtime: RuntimeName;
  readonly env: Environment;
  readonly flags?: ModelFlags;
  readonly usesVariables?: boolean;
}

/**
 * Returns the named models, and the directory of their file: in `untrusted` if it is not trusted, otherwise in `from`.
 * The directory is omitted if the file is the user's own.
 */
export function modelSources({
  models,
}: Config): Pick<ModelSources, "models" | "untrusted" | "from"> {
  if (models?.value === undefined) return {};
  const { value, isTrusted, isUsers = false, directory } = models;
  if (!isTrusted) return { models: value, untrusted: directory };
  return { models: value, ...(!isUsers && { from: directory }) };
}
