import type { ModelEndpoint } from "../schema/model.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { AGENT_LABEL, settingsOfAgent } from "./agents.ts";
import type { Config } from "./config.ts";
import { ccsdkAdditions } from "./models/ccsdk-settings.ts";
import { defaultModel, modelSources } from "./models/default-model.ts";
import { droidModels } from "./models/droid-models.ts";
import { chooseModel, findNamed, type ModelFlags, withoutEndpoint } from "./models/model-choice.ts";
import { variableIn } from "./models/models.ts";
import type { Environment } from "./paths.ts";
import { factoryKey } from "./server.ts";

/** The request fields that the configuration can fill in. */
export interface Configurable {
  readonly model?: ModelEndpoint | undefined;
  readonly project?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Record<string, unknown>;
  readonly env: Record<string, string>;
}

/** Options of `completeRequest`. */
export interface Completion {
  readonly runtime: RuntimeName;
  readonly env: Environment;
  /** False if the session is resumed. */
  readonly isNew: boolean;
  /** False if the recorded endpoint comes from a directory that is no longer trusted. Defaults to true. */
  readonly isEndpointTrusted?: boolean;
  /** True to use `HALYARD_MODEL` and the other model variables. Defaults to false. */
  readonly usesVariables?: boolean;
  /** True if `HALYARD_BASE_URL`, `HALYARD_API` and `HALYARD_API_KEY` apply to the runtime. Defaults to true. */
  readonly takesEndpoints?: boolean;
  /** The model options of the command line. They override the variables. Defaults to the request's model. */
  readonly flags?: ModelFlags;
}

/**
 * Adds the configured model, endpoint, key, runtime options and variables to a request. For a resumed session, keeps the
 * recorded model and adds only its key.
 */
export function completeRequest<R extends Configurable>(
  config: Config,
  request: R,
  completion: Completion,
): R {
  const { runtime, env, isNew, usesVariables = false, takesEndpoints = true } = completion;
  const counting = usesVariables ? env : { ...withoutEndpoint(env), HALYARD_MODEL: undefined };
  const variables = takesEndpoints ? counting : withoutEndpoint(counting);
  const model = isNew
    ? modelFor(config, request, { ...completion, env: variables })
    : withKeyAgain(config, request.model, completion);
  return {
    ...request,
    ...(model && { model }),
    ...additions(config, request, { runtime, env }),
  };
}

/**
 * Returns the request's options and variables. For Droid and the Claude Agent SDK, adds options and variables from the
 * configuration.
 */
function additions(
  config: Config,
  { labels, options, env }: Configurable,
  location: Pick<Completion, "runtime" | "env">,
): Pick<Configurable, "options" | "env"> {
  const { runtime } = location;
  if (runtime === "droid") {
    const isTrusted = config.factory?.isTrusted !== false;
    const factoryApiKey = isTrusted ? factoryKey(config.factory?.value) : undefined;
    const models = droidModels(config, location.env);
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

/** Removes the settings of an untrusted project. */
function trustedOnly({ settings, userSettings }: Config): Config {
  return {
    ...(settings?.isTrusted && { settings }),
    ...(userSettings && { userSettings }),
  };
}

/**
 * Resolves the model of a request: looks up a name, and returns an endpoint unchanged. The model variables take
 * precedence over the files.
 */
function modelFor(
  config: Config,
  { model, labels }: Configurable,
  { runtime, env, flags }: Pick<Completion, "runtime" | "env" | "flags">,
): ModelEndpoint | undefined {
  const { id, ...endpoint } = model ?? {};
  if (Object.keys(endpoint).length > 0) return model;
  const usual = defaultModel(config, runtime, labels[AGENT_LABEL]);
  return chooseModel({
    flags: flags ?? (id === undefined ? {} : { model: id }),
    env,
    ...modelSources(config),
    ...(usual !== undefined && { defaultModel: usual }),
  });
}

/**
 * Looks up the key of a resumed session's model, because keys are not stored. A key in the request takes precedence.
 * Returns the model without a key if no key is found, or if the source of the endpoint or of the key is not trusted. A
 * runtime that needs a key reports the error.
 */
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
