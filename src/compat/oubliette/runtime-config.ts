import { completeRequest } from "../../config/complete-request.ts";
import type { Config } from "../../config/config.ts";
import { ModelsFile } from "../../config/files/models.ts";
import { ServerFile } from "../../config/files/server.ts";
import type { Environment } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { parseInput } from "../../errors/parse-input.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { type AgentConfig, loadConfigFiles } from "./agent-config.ts";

/** The fields of a request that the configuration completes. */
export interface Completable {
  readonly projectID?: string | undefined;
  readonly model?: string | ModelEndpoint | undefined;
  /** The model of a session that is continued. */
  readonly recorded?: ModelEndpoint | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Completed {
  /** The runtime that the metadata of the project names. */
  readonly projectRuntime?: string;
  readonly model?: ModelEndpoint;
  readonly options: Record<string, unknown>;
}

interface Sources {
  /** What the caller of `newRuntime` passed. Takes precedence over the files. */
  readonly given: AgentConfig;
  readonly env: Environment;
  /** True if the facade creates its own Halyard. With a Halyard of the caller, that one reads the files. */
  readonly readsFiles: boolean;
}

/** Completes requests with models and keys of the configuration. Reads the files for each request. */
export class RuntimeConfig {
  readonly env: Environment;
  readonly #given: Config;
  readonly #readsFiles: boolean;

  constructor({ given, env, readsFiles }: Sources) {
    this.env = env;
    this.#given = toConfig(given);
    this.#readsFiles = readsFiles;
  }

  /** The runtime of the project, or else of the server. Resolves `auto` by the Factory key. */
  get runtime(): RuntimeName {
    const server = { path: "config/server.json", value: { agent_runtime: "auto" } };
    return resolveRuntime({ server, ...this.#given }, { project: "project" }).runtime;
  }

  async complete(
    runtime: RuntimeName,
    { projectID, recorded, model = recorded, options }: Completable,
  ): Promise<Completed> {
    const { env } = this;
    const files = this.#readsFiles
      ? await loadConfigFiles({ env, ...(projectID !== undefined && { projectID }) })
      : {};
    const { agent_runtime: projectRuntime } = files.project?.value ?? {};
    const endpoint = typeof model === "string" ? { id: model } : model;
    const request = { model: endpoint, options: { ...options }, labels: {}, env: {} };
    const config = { ...files, ...this.#given };
    const isNew = recorded === undefined || model !== recorded; // a recorded model only lacks its key
    const completed = completeRequest(config, request, { runtime, env, isNew });
    const isKnown = isNew || completed.model?.apiKey !== undefined;
    const found = isKnown && completed.model && { model: completed.model };
    return { options: completed.options, ...found, ...(projectRuntime && { projectRuntime }) };
  }
}

/** The caller passed these values, so they are trusted. */
function toConfig({ server, factory, models, project }: AgentConfig): Config {
  const local = { directory: ".", isTrusted: true };
  return {
    ...(server && {
      server: { path: "config/server.json", value: parseInput(ServerFile, server) },
    }),
    ...(factory && { factory: { path: "config/factory.json", value: factory } }),
    ...(models && {
      models: { path: "config/models.json", value: parseInput(ModelsFile, models), ...local },
    }),
    ...(project && { project: { path: "metadata.json", value: project, ...local } }),
  };
}
