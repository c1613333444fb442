import type { RuntimeDecision } from "../schema/runtime-decision.ts";
import { AGENT_LABEL } from "./agents.ts";
import type { Config } from "./config.ts";
import { effectiveSettings } from "./effective-settings.ts";
import { hostSource } from "./host-choice.ts";
import { defaultModelSource, modelSources } from "./models/default-model.ts";
import { chooseModel } from "./models/model-choice.ts";
import { variableIn } from "./models/models.ts";
import type { Environment } from "./paths.ts";

/** One setting of a session that is started without options, and its source. */
export interface ExplainedSetting {
  readonly setting: "runtime" | "model" | "permissions" | "host" | "keys";
  readonly value: string;
  /** The file or variable that sets the value, or the reason why there is none. */
  readonly by: string;
}

/** Returns every configured setting of a session with its source. Contains the names of keys, never their values. */
export function explainSession(
  config: Config,
  decision: RuntimeDecision,
  { env, agentId }: { readonly env: Environment; readonly agentId?: string | undefined },
): ExplainedSetting[] {
  const { runtime, steps } = decision;
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  const labels = agentId === undefined ? {} : { [AGENT_LABEL]: agentId };
  const { host, by: hostBy = "default" } = hostSource(config, { labels }, runtime);
  return [
    {
      setting: "runtime",
      value: runtime,
      by: file === undefined ? decision.source : `${file}: ${key}`,
    },
    ...modelAndKeys(config, runtime, { env, agentId }),
    permissionsOf(config, host === "container"),
    { setting: "host", value: host, by: hostBy },
  ];
}

function modelAndKeys(
  config: Config,
  runtime: string,
  { env, agentId }: { readonly env: Environment; readonly agentId?: string | undefined },
): ExplainedSetting[] {
  const chosen = defaultModelSource(config, runtime, agentId);
  const name = env.HALYARD_MODEL || chosen?.model;
  const sources = modelSources(config);
  const { id, baseUrl, apiKey } =
    chooseModel({
      flags: {},
      env,
      ...sources,
      ...(chosen && { defaultModel: chosen.model }),
    }) ?? {};
  const model: ExplainedSetting = {
    setting: "model",
    value: [id ?? name ?? "the runtime's own", ...(baseUrl ? [`at ${baseUrl}`] : [])].join(" "),
    by: env.HALYARD_MODEL ? "HALYARD_MODEL" : (chosen?.by ?? "no file names one"),
  };
  const named = name === undefined ? undefined : sources.models?.models[name]?.apiKey;
  const variable = named === undefined ? undefined : variableIn(named);
  const file = config.models?.path ?? "";
  const keys = (value: string, by: string): ExplainedSetting => ({ setting: "keys", value, by });
  if (env.HALYARD_API_KEY && apiKey === env.HALYARD_API_KEY)
    return [model, keys("set", "HALYARD_API_KEY")];
  if (variable !== undefined)
    return [model, keys(apiKey ? "set" : "missing", `${variable}, named by ${file}`)];
  if (named !== undefined) return [model, keys(apiKey ? "set" : "withheld", file)];
  return [model, keys("the runtime's own", `see: halyard runtime doctor ${runtime}`)];
}

function permissionsOf(config: Config, isContainer: boolean): ExplainedSetting {
  const { settings, userSettings } = config;
  const { permissions: value } = effectiveSettings(config);
  const setting = "permissions";
  if (value === undefined)
    return isContainer
      ? { setting, value: "allow-all", by: "default in a container" }
      : { setting, value: "ask", by: "default" };
  const file = settings?.value?.permissions === value ? settings : userSettings;
  return { setting, value, by: file?.path ?? "default" };
}
