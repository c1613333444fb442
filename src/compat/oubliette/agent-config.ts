import { dirname } from "node:path";
import type { z } from "zod";
import type { Config, ConfigFile, LocalFile } from "../../config/config.ts";
import { FactoryFile } from "../../config/files/factory.ts";
import type { ModelsFile } from "../../config/files/models.ts";
import { WrittenServerFile } from "../../config/files/server.ts";
import { readText } from "../../config/json/json-file.ts";
import { parseJsonText } from "../../config/json/json-text.ts";
import { acceptZeroValues } from "../../config/json/zero-values.ts";
import { configDirectory, type Environment, factoryFile, serverFile } from "../../config/paths.ts";
import { HalyardError } from "../../errors/error.ts";
import { vouchFor } from "./vouch.ts";

/** The content of the files in `config/`, which determine a session's runtime and model. */
export interface AgentConfig {
  /** The content of `config/server.json`. */
  readonly server?: WrittenServerFile | undefined;
  /** The content of `config/factory.json`. */
  readonly factory?: FactoryFile | undefined;
  /** The content of `config/models.json`. */
  readonly models?: z.input<typeof ModelsFile> | undefined;
  /** The content of the project's `metadata.json`, which takes precedence over `config/server.json`. */
  readonly project?: ProjectSettings | undefined;
}

/** The fields of a project's `metadata.json` that Halyard reads. Other fields are ignored. */
export interface ProjectSettings {
  readonly id?: string | undefined;
  readonly agent_runtime?: string | undefined;
  readonly model?: string | undefined;
  readonly [key: string]: unknown;
}

/** Options for `loadAgentConfig`. */
export interface AgentConfigOptions {
  /** The directory that contains `config` and `projects`. Defaults to the process's working directory. */
  readonly cwd?: string | undefined;
  /** Defaults to the process's environment. */
  readonly env?: Environment | undefined;
  /** The project whose `metadata.json` is read. */
  readonly projectID?: string | undefined;
}

/**
 * Reads the files in `config`, and the metadata of the project if `projectID` is set. Rejects with `untrusted_directory`
 * if git tracks a file with keys or endpoints and its directory is not trusted, because another person may have written
 * the file.
 */
export async function loadAgentConfig(options: AgentConfigOptions = {}): Promise<AgentConfig> {
  const { cwd = process.cwd(), env = process.env } = options;
  const directory = configDirectory(env, cwd);
  const config = await vouchFor(await loadConfigFiles(options), directory, env);
  const { server, factory, models, project } = config;
  return {
    server: server?.value,
    factory: trustedValue(factory, directory),
    models: trustedValue(models, directory),
    project: project?.value,
  };
}

/**
 * Returns a trusted file's value. Throws for an untrusted file in the config directory. Returns undefined for an
 * untrusted file in another directory.
 */
function trustedValue<T>(
  file: (ConfigFile<T> & Partial<LocalFile<T>>) | undefined,
  directory: string,
): T | undefined {
  if (file?.value === undefined || file.isTrusted) return file?.value;
  if (dirname(file.path) !== directory) return undefined;
  const message = `${file.path} is a file that git tracks, so another person may have written it. Keep it out of git, or run "halyard trust ${file.directory}" to trust its directory.`;
  throw new HalyardError("untrusted_directory", message);
}

/** Reads the configuration files, with their paths and whether their directories are trusted. */
export async function loadConfigFiles(
  options: AgentConfigOptions & { readonly home?: string | undefined },
): Promise<Config> {
  const { cwd = process.cwd(), env = process.env, projectID: project } = options;
  const [{ loadConfig }, { homeDirectory }] = await Promise.all([
    import("../../config/load.ts"),
    import("../../config/paths.ts"),
  ]);
  const { home = homeDirectory(env) } = options;
  return loadConfig({ env, cwd, home, ...(project !== undefined && { project }) });
}

/** Reads the two files that select a runtime. Synchronous, because `newRuntime` is synchronous. */
export function readAgentConfig({
  cwd = process.cwd(),
  env = process.env,
}: AgentConfigOptions): AgentConfig {
  const directory = configDirectory(env, cwd);
  return {
    server: readValue(serverFile(directory), WrittenServerFile),
    factory: readValue(factoryFile(directory), FactoryFile),
  };
}

function readValue<S extends z.ZodType>(path: string, schema: S): z.output<S> | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseJsonText(path, text, acceptZeroValues(schema)).value;
}
