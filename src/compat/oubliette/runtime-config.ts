import { completeRequest } from "../../config/complete-request.ts";
import type { Config } from "../../config/config.ts";
import { WrittenModelsFile } from "../../config/files/models.ts";
import { ProjectFile } from "../../config/files/project.ts";
import { ServerFile } from "../../config/files/server.ts";
import { acceptZeroValues } from "../../config/json/zero-values.ts";
import { configDirectory, type Environment, factoryFile } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { untrustedAccounts } from "../../config/untrusted-accounts.ts";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { sentence } from "../../errors/sentence.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { type AgentConfig, loadConfigFiles } from "./agent-config.ts";
import type { RuntimeContext } from "./execute-request.ts";
import { vouchFor } from "./vouch.ts";

/** The request fields that the configuration completes. */
export interface Completable {
  readonly projectID?: string | undefined;
  readonly model?: string | ModelEndpoint | undefined;
  /** The continued session's model. */
  readonly recorded?: ModelEndpoint | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Completed {
  /** The runtime that the project's metadata names. */
  readonly projectRuntime?: string;
  readonly model?: ModelEndpoint;
  readonly options: Record<string, unknown>;
  /** One message for each account of the runtime that is ignored, because the account's directory is not trusted. */
  readonly ignored: readonly string[];
}

interface Sources {
  /**
   * The values that the caller of `newRuntime` passed, which take precedence over the files, or the files that selected
   * the runtime.
   */
  readonly given: AgentConfig;
  readonly env: Environment;
  /** The Halyard home. */
  readonly home?: string | undefined;
  /**
   * The directory that contains `config` and `projects`. Recorded once, because the process may later change its working
   * directory to an untrusted directory, such as a cloned repository.
   */
  readonly root: string;
  /** True if the files are read here. False if the caller's Halyard instance or configuration reader reads them. */
  readonly readsFiles: boolean;
  /** True if the caller passed no configuration. Then `config` in `root` is trusted, except for files that git tracks. */
  readonly vouches: boolean;
}

/** Completes requests with the configuration's models and keys. Reads the files for each request. */
export class RuntimeConfig {
  readonly env: Environment;
  readonly #sources: Sources;
  readonly #given: Config;

  constructor(sources: Sources) {
    this.env = sources.env;
    this.#sources = sources;
    this.#given = toConfig(sources);
  }

  /** The project's runtime, otherwise the server's. Resolves `auto` by the Factory key. */
  get runtime(): RuntimeName {
    const server = { path: "config/server.json", value: { agent_runtime: "auto" } };
    return resolveRuntime({ server, ...this.#given }, { project: "project" }).runtime;
  }

  async complete(
    runtime: RuntimeName,
    { projectID, recorded, model = recorded, options }: Completable,
  ): Promise<Completed> {
    const { env } = this;
    const files = await this.#readFiles(projectID);
    const { agent_runtime: projectRuntime } = files.project?.value ?? {};
    const config = await this.#combine(files);
    const endpoint = typeof model === "string" ? { id: model } : model;
    const request = { model: endpoint, options: { ...options }, labels: {}, env: {} };
    const isNew = recorded === undefined || model !== recorded; // only the key of a recorded model is missing
    const completed = completeRequest(config, request, { runtime, env, isNew });
    const isKnown = isNew || completed.model?.apiKey !== undefined;
    const found = isKnown && completed.model && { model: completed.model };
    const ignored = untrustedAccounts(config, runtime);
    return {
      options: completed.options,
      ignored,
      ...found,
      ...(projectRuntime && { projectRuntime }),
    };
  }

  async #readFiles(projectID: string | undefined): Promise<Config> {
    const { env, home, root: cwd, readsFiles } = this.#sources;
    if (!readsFiles) return {};
    return loadConfigFiles({ env, home, cwd, ...(projectID !== undefined && { projectID }) });
  }

  /**
   * Combines the caller's values with the files. The caller's values take precedence over the files, but values from
   * files that were read earlier do not.
   */
  async #combine(files: Config): Promise<Config> {
    const { env, root, vouches } = this.#sources;
    if (!vouches) return { ...files, ...this.#given };
    return vouchFor({ ...this.#given, ...files }, configDirectory(env, root), env);
  }
}

interface Credentials {
  /** The model and options that the configuration contains for the request. */
  readonly completed: Completed;
  /** The advice that `halyard.inspect` returned for the runtime, which is appended to the error message. */
  readonly advice: readonly string[];
}

/** Throws `not_signed_in`, with the remedies, if neither the request nor the configuration contains credentials. */
export function requireCredentials(
  runtime: string,
  { model }: RuntimeContext,
  { completed, advice }: Credentials,
): void {
  const { model: endpoint, options, ignored } = completed;
  if ((endpoint?.apiKey ?? endpoint?.baseUrl ?? options.factoryApiKey) !== undefined) return;
  const unknown =
    typeof model === "string" ? [`The file config/models.json has no model "${model}"`] : [];
  const key = runtime === "droid" ? "put api_key into config/factory.json, or " : "";
  const remedy = `${key}name a model in config/models.json`;
  const reasons = [...ignored, ...unknown, remedy, ...advice].map(
    (text) => `${text.charAt(0).toUpperCase()}${sentence(text.slice(1))}`,
  );
  const message = `${runtime} has no credentials. ${reasons.join(" ")}`;
  throw new HalyardError("not_signed_in", message);
}

/**
 * Converts the caller's values to a configuration, which is trusted. A Factory key that was read from a file is trusted
 * only if HALYARD_CONFIG is set; otherwise, `vouchFor` decides.
 */
function toConfig({ given, env, root, vouches }: Sources): Config {
  const { server, factory, models, project } = given;
  const local = { directory: root, isTrusted: true };
  const isTrusted = !vouches || Boolean(env.HALYARD_CONFIG);
  const path = factoryFile(configDirectory(env, root));
  return {
    ...(server && {
      server: {
        path: "config/server.json",
        value: parseInput(acceptZeroValues(ServerFile), server),
      },
    }),
    ...(factory && { factory: { path, value: factory, directory: root, isTrusted } }),
    ...(models && {
      models: {
        path: "config/models.json",
        value: parseInput(acceptZeroValues(WrittenModelsFile), models),
        ...local,
      },
    }),
    ...(project && {
      project: {
        path: "metadata.json",
        value: parseInput(acceptZeroValues(ProjectFile), project),
        ...local,
      },
    }),
  };
}
