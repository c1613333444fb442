import { dirname } from "node:path";
import type { z } from "zod";
import type { Config, ConfigFile, LocalFile } from "./config.ts";
import type { ServerFile, WrittenServerFile } from "./files/server.ts";
import type { TrustFile } from "./files/trust.ts";
import { type JsonFile, readJsonFile } from "./json/json-file.ts";
import {
  configDirectory,
  directoryFiles,
  type Environment,
  factoryFile,
  modelsFile,
  modelsFiles,
  pricesFile,
  projectDefaultsFile,
  projectFile,
  projectSettingsFiles,
  registryFile,
  serverFile,
  trustFile,
  userSettingsFile,
} from "./paths.ts";
import { isForeign } from "./trust/file-owner.ts";
import { isTrusted } from "./trust/is-trusted.ts";

/** The directories, the project and the environment that determine which configuration files are read. */
export interface ConfigPaths {
  readonly env: Environment;
  /**
   * The working directory of the session. `halyard.json` and the file that sets a directory's runtime are searched for
   * in this directory and in all directories above it.
   */
  readonly cwd: string;
  /** The Halyard home. */
  readonly home: string;
  /** The directory that contains `config` and `projects`, if `HALYARD_CONFIG` is not set. Defaults to `cwd`. */
  readonly root?: string | undefined;
  /** The id of the project whose `metadata.json` is read. */
  readonly project?: string | undefined;
  /** True if the caller trusts all files in `cwd` and above. Otherwise `trust.json` decides for each file. Defaults to false. */
  readonly trusted?: boolean | undefined;
}

/** Imports the schemas of the files. Called only if a file exists. */
const loadFiles = () => import("./files/index.ts");

/** Selects a file's schema. */
type Choose<S> = (files: Awaited<ReturnType<typeof loadFiles>>) => S;

const schemaOf =
  <S>(choose: Choose<S>) =>
  async () =>
    choose(await loadFiles());

/**
 * Reads all configuration files that apply to a directory. Rejects with `invalid_config` if a value is invalid; the message
 * contains the file, the position and the expected type. Unknown keys become warnings.
 */
export function loadConfig(paths: ConfigPaths): Promise<Config> {
  return loadConfigWith(readJsonFile, paths);
}

/** Works like `loadConfig`, but reads each file with `read`, which may return an earlier version of the file. */
export async function loadConfigWith(
  read: typeof readJsonFile,
  { env, cwd, home, root = cwd, project, trusted = false }: ConfigPaths,
): Promise<Config> {
  /** One list per file, so that the order of warnings does not depend on which file is read first. */
  const received: string[][] = [];
  const listen = (): string[] => {
    const warnings: string[] = [];
    received.push(warnings);
    return warnings;
  };
  const directory = configDirectory(env, root);
  const one = async <S extends z.ZodType>(path: string, choose: Choose<S>) => {
    const warnings = listen();
    return toConfigFile(path, await read(path, schemaOf(choose)), warnings);
  };
  const nearest = async <S extends z.ZodType>(paths: readonly string[], choose: Choose<S>) => {
    const warnings = listen();
    for (const path of paths) {
      if (isForeign(path, cwd)) {
        warnings.push(`${path}: belongs to another user, and is ignored`);
        continue;
      }
      const file = await read(path, schemaOf(choose));
      if (file) return toConfigFile(path, file, warnings);
    }
    return { path: paths[0] ?? "" };
  };
  const [written, factory, models, projectDefaults, registry, near, settings, userSettings, named] =
    await Promise.all([
      one(serverFile(directory), (files) => files.acceptZeroValues(files.WrittenServerFile)),
      one(factoryFile(directory), (files) => files.acceptZeroValues(files.FactoryFile)),
      nearest(modelsFiles(env, root, home), (files) =>
        files.acceptZeroValues(files.WrittenModelsFile),
      ),
      one(projectDefaultsFile(directory), (files) => files.ProjectDefaults),
      one(registryFile(env), (files) => files.acceptZeroValues(files.RegistryFile)),
      nearest(directoryFiles(cwd), (files) => files.acceptZeroValues(files.RigFile)),
      nearest(projectSettingsFiles(cwd), (files) => files.SettingsFile),
      one(userSettingsFile(home), (files) => files.SettingsFile),
      isFolderName(project)
        ? one(projectFile(directory, project), (files) => files.acceptZeroValues(files.ProjectFile))
        : undefined,
    ]);
  const prices = await one(pricesFile(home), (files) => files.PriceTable);
  const { value: trust } = await one(trustFile(home), (files) => files.TrustFile);
  const warnings = received.flat();
  const server = await readServer(written, warnings);
  const around = dirname(directory);
  const vouched = trusted ? "vouched" : "anybody";
  const owner = env.HALYARD_CONFIG ? "user" : vouched;
  return {
    server: server.value ? await toLocalFile(server, around, trust, owner) : server,
    factory: factory.value ? await toLocalFile(factory, around, trust, owner) : factory,
    models: await toLocalFile(
      models,
      dirname(dirname(models.path)),
      trust,
      models.path === modelsFile(home) ? "user" : owner,
    ),
    projectDefaults,
    registry,
    directory: await toLocalFile(near, dirname(dirname(near.path)), trust, vouched),
    settings: await toLocalFile(settings, dirname(settings.path), trust, vouched),
    userSettings,
    ...(prices.value && { prices }),
    ...(named && { project: await toLocalFile(named, around, trust, owner) }),
    warnings,
  };
}

/** Adds the defaults to `config/server.json`. Ignores a file with only unknown keys, which belongs to another program. */
async function readServer(
  { path, value }: ConfigFile<WrittenServerFile>,
  warnings: string[],
): Promise<ConfigFile<ServerFile>> {
  const isForeign = warnings.some((line) => line.startsWith(`${path}:`));
  if (value === undefined || (isForeign && Object.keys(value).length === 0)) return { path };
  return { path, value: (await loadFiles()).ServerFile.parse(value) };
}

/**
 * Adds a file's directory and whether the directory is trusted. Files of the owner `user` and files that the caller
 * vouches for are trusted without an entry in `trust.json`.
 */
async function toLocalFile<T>(
  file: ConfigFile<T>,
  directory: string,
  trust: TrustFile | undefined,
  owner: "user" | "vouched" | "anybody",
): Promise<LocalFile<T>> {
  return {
    ...file,
    directory,
    isTrusted: owner !== "anybody" || (await isTrusted(directory, trust)),
    ...(owner === "user" && { isUsers: true }),
  };
}

function toConfigFile<T>(
  path: string,
  file: JsonFile<T> | undefined,
  warnings: string[],
): ConfigFile<T> {
  if (file === undefined) return { path };
  warnings.push(...file.warnings);
  return { path, value: file.value };
}

/** True if a project id is a plain directory name. Other ids could point outside the projects directory. */
function isFolderName(id: string | undefined): id is string {
  return id !== undefined && /^[^./\\][^/\\]*$/.test(id);
}
