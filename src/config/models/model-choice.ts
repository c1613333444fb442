import { HalyardError } from "../../errors/error.ts";
import { ModelEndpoint } from "../../schema/model.ts";
import type { Capability } from "../../schema/runtime.ts";
import type { ModelsFile, NamedModel } from "../files/models.ts";
import type { Environment } from "../paths.ts";
import { toEndpoint } from "./models.ts";

/** Command-line options for the model. There is no option for a key, because other users can see command lines. */
export interface ModelFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly api?: string;
  /** The environment variable that contains the key. */
  readonly apiKeyEnv?: string;
}

/** The sources of a session's model and its key. */
export interface ModelSources {
  readonly flags: ModelFlags;
  readonly env: Environment;
  readonly models?: ModelsFile;
  /** The directory of `models` if the user does not trust it. Model names from it are rejected. */
  readonly untrusted?: string;
  /** The directory of `models` if the user trusts it. Omitted if the file is the user's own. */
  readonly from?: string;
  /** The default model in the settings. Takes precedence over the default in `models.json`. */
  readonly defaultModel?: string;
}

/**
 * Returns the model and endpoint of a new session. Order of precedence: flags, the variables `HALYARD_MODEL`,
 * `HALYARD_BASE_URL`, `HALYARD_API` and `HALYARD_API_KEY`, files. A name in `models.json` selects the endpoint of that
 * entry, and the key of the entry is sent to that endpoint only. Returns undefined if no source sets a model, an
 * endpoint or a key, so that the runtime chooses. Throws `untrusted_directory` for a name in an untrusted file,
 * `invalid_config` if the variable of a named model's key is not set, and `invalid_input` for an invalid flag or variable.
 */
export function chooseModel(sources: ModelSources): ModelEndpoint | undefined {
  const { flags, env, models, defaultModel } = sources;
  const byFlag = lookUp(flags.model, sources);
  const byEnv = flags.model ? {} : lookUp(env.HALYARD_MODEL, sources);
  const isNamed = flags.model || env.HALYARD_MODEL;
  const byFile = isNamed ? {} : lookUp(defaultModel ?? models?.defaults.session_model, sources);
  return firstOf([fromFlags(flags, env), byFlag, fromEnvironment(env), byEnv, byFile]);
}

/** True if `HALYARD_BASE_URL`, `HALYARD_API` and `HALYARD_API_KEY` apply to a runtime. */
export function usesModelVariables({
  capabilities,
  ignoresModelVariables = false,
}: {
  readonly capabilities: readonly Capability[];
  readonly ignoresModelVariables?: boolean;
}): boolean {
  return capabilities.includes("endpoints") && !ignoresModelVariables;
}

/** Removes `HALYARD_BASE_URL`, `HALYARD_API` and `HALYARD_API_KEY`, for a runtime to which they do not apply. */
export function withoutEndpoint(env: Environment): Environment {
  const { HALYARD_BASE_URL: _url, HALYARD_API: _api, HALYARD_API_KEY: _key, ...rest } = env;
  return rest;
}

/** True if the variables contain an endpoint or its key. */
export function namesEndpoint(env: Environment): boolean {
  return Boolean(env.HALYARD_BASE_URL || env.HALYARD_API || env.HALYARD_API_KEY);
}

/**
 * Returns the model of a resumed session: the recorded model, changed by the flags, with its key looked up again. If
 * `isStrange` is true, the endpoint came from a directory that is no longer trusted, and only a flag can provide a key.
 */
export function chooseModelAgain(
  sources: ModelSources,
  recorded: ModelEndpoint = {},
  { isStrange = false }: { isStrange?: boolean } = {},
): ModelEndpoint | undefined {
  const { flags, env, models } = sources;
  const [name, named] = findNamed(models, recorded) ?? [];
  const isKnown = !isStrange && sources.untrusted === undefined;
  const key = isKnown && name && named ? toEndpoint(name, named, sources) : {};
  const { apiKey } = isStrange ? {} : fromEnvironment(env);
  const byFlag = lookUp(flags.model, sources);
  return firstOf([
    fromFlags(flags, env),
    byFlag,
    { ...key, ...recorded },
    apiKey ? { apiKey } : {},
  ]);
}

/** Returns the entry of `models.json` with the same model id and base URL, or undefined. */
export function findNamed(
  models: ModelsFile | undefined,
  { id, baseUrl }: ModelEndpoint,
): [name: string, named: NamedModel] | undefined {
  return Object.entries(models?.models ?? {}).find(
    ([, named]) => named.model === id && named.baseUrl === baseUrl,
  );
}

function withoutKey({ apiKey: _, ...rest }: ModelEndpoint): ModelEndpoint {
  return rest;
}

/**
 * Returns each field from the first layer that sets it. Never combines the key of a named model with another base URL.
 */
function firstOf(layers: readonly ModelEndpoint[]): ModelEndpoint | undefined {
  const merged = Object.assign({}, ...layers.toReversed()) as ModelEndpoint;
  const key = layers.find(
    ({ apiKey, id, baseUrl }) =>
      apiKey !== undefined && (id === undefined || baseUrl === merged.baseUrl),
  )?.apiKey;
  const rest = withoutKey(merged);
  const endpoint = key === undefined ? rest : { ...rest, apiKey: key };
  return Object.keys(endpoint).length > 0 ? endpoint : undefined;
}

/**
 * Returns the endpoint for a name in `models.json`. Treats other names as model ids. Throws for a name in an
 * untrusted file.
 */
function lookUp(
  name: string | undefined,
  { models, untrusted, ...keys }: Pick<ModelSources, "models" | "env" | "untrusted" | "from">,
): ModelEndpoint {
  if (!name) return {};
  const named = Object.hasOwn(models?.models ?? {}, name) ? models?.models[name] : undefined;
  if (named === undefined) return { id: name };
  if (untrusted === undefined) return toEndpoint(name, named, keys);
  throw new HalyardError(
    "untrusted_directory",
    `The model "${name}" is an entry in models.json of ${untrusted}, which is not trusted. If you know who wrote that file, run "halyard trust ${untrusted}".`,
  );
}

function fromFlags({ baseUrl, api, apiKeyEnv }: ModelFlags, env: Environment): ModelEndpoint {
  const apiKey = apiKeyEnv === undefined ? undefined : keyFrom(apiKeyEnv, env);
  return parse({ baseUrl, api, apiKey }, { baseUrl: "--base-url", api: "--api" });
}

function fromEnvironment(env: Environment): ModelEndpoint {
  const { HALYARD_BASE_URL: baseUrl, HALYARD_API: api, HALYARD_API_KEY: apiKey } = env;
  return parse({ baseUrl, api, apiKey }, { baseUrl: "HALYARD_BASE_URL", api: "HALYARD_API" });
}

function keyFrom(variable: string, env: Environment): string {
  const key = env[variable];
  if (key) return key;
  const problem = /^[A-Za-z_]\w*$/.test(variable)
    ? `${variable} is not set in the environment. Export it, or pass another variable.`
    : "expected the name of an environment variable that holds the key, not a key.";
  throw new HalyardError("invalid_input", `--api-key-env: ${problem}`);
}

/** Parses an endpoint. Treats empty values as not set. */
function parse(
  said: Readonly<Record<string, string | undefined>>,
  names: Readonly<Record<string, string>>,
): ModelEndpoint {
  const parsed = ModelEndpoint.safeParse(
    Object.fromEntries(Object.entries(said).filter(([, value]) => value)),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = String(issue?.path[0]);
  const expected = key === "baseUrl" ? "expected an http or https URL" : issue?.message;
  throw new HalyardError("invalid_input", `${names[key] ?? key}: ${expected}.`);
}
