import type { ModelEndpoint } from "../schema/model.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { AGENT_LABEL, settingsOfAgent } from "./agents.ts";
import { ccsdkAdditions } from "./ccsdk-settings.ts";
import type { Config } from "./config.ts";
import { defaultModel, modelSources } from "./default-model.ts";
import { droidModels } from "./droid-models.ts";
import { chooseModel, findNamed, withoutEndpoint } from "./model-choice.ts";
import { variableIn } from "./models.ts";
import type { Environment } from "./paths.ts";
import { BUILT_IN, resolveRuntime } from "./resolve-runtime.ts";
import { factoryKey } from "./server.ts";

/** The part of a session's request that a configuration has something to say about. */
export interface Configurable {
  readonly model?: ModelEndpoint | undefined;
  readonly project?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Record<string, unknown>;
  readonly env: Record<string, string>;
}

/** The runtime for a request that names none; what was not chosen on purpose may be replaced where it cannot run. */
export function chooseRuntime(
  config: Config,
  { project, labels }: Pick<Configurable, "project" | "labels">,
  lastResort: RuntimeName = BUILT_IN,
): { runtime: RuntimeName; fallback?: RuntimeName } {
  const agentId = labels[AGENT_LABEL];
  const { runtime, explicit, source } = resolveRuntime(config, {
    ...(project !== undefined && { project }),
    ...(agentId !== undefined && { agentId }),
  });
  if (source === "built-in") return { runtime: lastResort };
  return explicit || runtime === BUILT_IN ? { runtime } : { runtime, fallback: BUILT_IN };
}

/** Where a completed request is to run. */
export interface Completion {
  readonly runtime: RuntimeName;
  readonly env: Environment;
  /** False for a session that goes on. */
  readonly isNew: boolean;
  /** False if a recorded endpoint came from a directory that is not trusted any more. Defaults to true. */
  readonly isEndpointTrusted?: boolean;
  /** `HALYARD_MODEL` and the other variables about models count. */
  readonly usesVariables?: boolean;
  /** The runtime can be given an endpoint. */
  readonly takesEndpoints?: boolean;
}

/** A request with what the configuration adds for its runtime: model, the endpoint of a named model, and keys. */
export function completeRequest<R extends Configurable>(
  config: Config,
  request: R,
  completion: Completion,
): R {
  const { runtime, env, isNew, usesVariables = false, takesEndpoints = true } = completion;
  const counting = usesVariables ? env : { ...withoutEndpoint(env), HALYARD_MODEL: undefined };
  const model = isNew
    ? modelFor(config, request, runtime, takesEndpoints ? counting : withoutEndpoint(counting))
    : withKeyAgain(config, request.model, completion);
  return {
    ...request,
    ...(model && { model }),
    ...additions(config, request, { runtime, env }),
  };
}

/** What only one runtime understands. */
function additions(
  config: Config,
  { labels, options, env }: Configurable,
  place: Pick<Completion, "runtime" | "env">,
): Pick<Configurable, "options" | "env"> {
  const { runtime } = place;
  if (runtime === "droid") {
    const isTrusted = config.models?.isTrusted !== false; // in the same directory
    const factoryApiKey = isTrusted ? factoryKey(config.factory?.value) : undefined;
    const models = droidModels(config, place.env);
    const own = {
      ...(factoryApiKey !== undefined && { factoryApiKey }),
      ...(models.length > 0 && { models }),
    };
    return { options: { ...own, ...options }, env };
  }
  if (runtime !== "ccsdk") return { options, env };
  const more = ccsdkAdditions(settingsOfAgent(trustedOnly(config), labels[AGENT_LABEL]));
  const given = options.ccsdkOptions;
  const own = typeof given === "object" && given !== null ? given : {};
  return {
    options: { ...options, ccsdkOptions: { ...more.options, ...own } },
    env: { ...more.env, ...env },
  };
}

/** An untrusted project decides no option. */
function trustedOnly({ settings, userSettings }: Config): Config {
  return {
    ...(settings?.isTrusted && { settings }),
    ...(userSettings && { userSettings }),
  };
}

/** An endpoint stays as it is. A name is looked up, and the variables about models come before the files. */
function modelFor(
  config: Config,
  { model, labels }: Configurable,
  runtime: RuntimeName,
  env: Environment,
): ModelEndpoint | undefined {
  const { id, ...endpoint } = model ?? {};
  if (Object.keys(endpoint).length > 0) return model;
  const usual = defaultModel(config, runtime, labels[AGENT_LABEL]);
  return chooseModel({
    flags: { ...(id !== undefined && { model: id }) },
    env,
    ...modelSources(config),
    ...(usual !== undefined && { defaultModel: usual }),
  });
}

/** A key is not on record. Where it cannot be found again, the runtime says so if it needs one. */
function withKeyAgain(
  config: Config,
  model: ModelEndpoint | undefined,
  { env, isEndpointTrusted = true }: Completion,
): ModelEndpoint | undefined {
  if (model === undefined || model.apiKey !== undefined) return model;
  const { models, untrusted } = modelSources(config);
  const { apiKey = "" } = findNamed(models, model)?.[1] ?? {};
  const variable = variableIn(apiKey);
  const isKnown = untrusted === undefined && isEndpointTrusted;
  const key = !isKnown ? "" : variable === undefined ? apiKey : env[variable];
  return key ? { ...model, apiKey: key } : model;
}
