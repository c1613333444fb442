import { HalyardError } from "../core/error.ts";
import { ModelEndpoint } from "../schema/model.ts";
import type { ModelsFile, NamedModel } from "./files/models.ts";
import { toEndpoint } from "./models.ts";
import type { Environment } from "./paths.ts";

/** What the command line says of the model. There is no flag for a key: command lines are public. */
export interface ModelFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly api?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
}

export interface ModelSources {
  readonly flags: ModelFlags;
  readonly env: Environment;
  readonly models?: ModelsFile;
  /** The directory that `models` came with, if the user does not trust it: its names are refused. */
  readonly untrusted?: string;
  /** The directory that `models` came with, if the user trusts it. */
  readonly from?: string;
  /** The settings' choice; the default of `models.json` comes after it. */
  readonly defaultModel?: string;
}

/**
 * The model and its endpoint for a new session: flags before `HALYARD_MODEL`, `HALYARD_BASE_URL`, `HALYARD_API`
 * and `HALYARD_API_KEY` before the files. A name from `models.json` brings its whole endpoint along, and its key
 * goes to that endpoint only. Undefined where nobody says anything: the runtime's own choice.
 */
export function chooseModel(sources: ModelSources): ModelEndpoint | undefined {
  const { flags, env, models, defaultModel } = sources;
  const byFlag = lookUp(flags.model, sources);
  const byEnv = flags.model ? {} : lookUp(env.HALYARD_MODEL, sources);
  const isNamed = flags.model || env.HALYARD_MODEL;
  const byFile = isNamed ? {} : lookUp(defaultModel ?? models?.defaults.session_model, sources);
  return firstOf([fromFlags(flags, env), byFlag, fromEnvironment(env), byEnv, byFile]);
}

/** The variables without an endpoint: one that is merely set must not break a runtime that takes none. */
export function withoutEndpoint(env: Environment): Environment {
  const { HALYARD_BASE_URL: _url, HALYARD_API: _api, HALYARD_API_KEY: _key, ...rest } = env;
  return rest;
}

/** True if the variables name an endpoint or a key for one. */
export function namesEndpoint(env: Environment): boolean {
  return Boolean(env.HALYARD_BASE_URL || env.HALYARD_API || env.HALYARD_API_KEY);
}

/**
 * The same for a session to be resumed: what it had stays, unless a flag says otherwise; its key is looked up again. An
 * endpoint that came from a directory which is not trusted any more gets no key but one that a flag names.
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

/** The entry of `models.json` that an endpoint came from. */
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

/** Each field from the first that has it; but a key that came with a base URL is for that URL alone. */
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

/** The endpoint of a name in `models.json`; any other name is the model's own. Refuses the names of untrusted files. */
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
    `The model "${name}" is an entry of models.json in ${untrusted}, which is not trusted. If you know who wrote it, run: halyard trust ${untrusted}`,
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
    ? `${variable} is not set in the environment`
    : "expected the name of an environment variable that holds the key, not a key";
  throw new HalyardError("invalid_input", `--api-key-env: ${problem}`);
}

/** What is empty counts as not said. */
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
  throw new HalyardError("invalid_input", `${names[key] ?? key}: ${expected}`);
}
