import { dirname } from "node:path";
import type { z } from "zod";
import type { Config, ConfigFile, LocalFile } from "./config.ts";
import { isForeign } from "./file-owner.ts";
import type { ServerFile, WrittenServerFile } from "./files/server.ts";
import type { TrustFile } from "./files/trust.ts";
import { type JsonFile, readJsonFile } from "./json-file.ts";
import {
  configDirectory,
  type Environment,
  factoryFile,
  modelsFile,
  modelsFiles,
  projectDefaultsFile,
  projectFile,
  projectSettingsFiles,
  registryFile,
  rigFiles,
  serverFile,
  trustFile,
  userSettingsFile,
} from "./paths.ts";
import { isTrusted } from "./trust.ts";

/** Where to look. */
export interface ConfigPlaces {
  readonly env: Environment;
  /** Where a session works: a rig's file and `halyard.json` are looked for from there upwards. */
  readonly cwd: string;
  /** Halyard's home. */
  readonly home: string;
  /** Where `config` and `projects` are, unless `HALYARD_CONFIG` says so: the same as `cwd` unless given. */
  readonly root?: string | undefined;
  /** The project whose `metadata.json` counts. */
  readonly project?: string | undefined;
  /** True if the caller vouches for all files of `cwd` and above it. Defaults to what `trust.json` says of each. */
  readonly trusted?: boolean | undefined;
}

type Read = typeof readJsonFile;

/** What each file may say: loaded where there is one, for in most places there is none. */
const loadFiles = () => import("./files/index.ts");

/** The schema that is meant. */
type Choose<S> = (files: Awaited<ReturnType<typeof loadFiles>>) => S;

const schemaOf =
  <S>(choose: Choose<S>) =>
  async () =>
    choose(await loadFiles());

/**
 * Reads the whole configuration that holds in one place. Rejects with `invalid_config` for a wrong value, naming the
 * file, the place and what was expected; what nobody knows is among the warnings.
 */
export async function loadConfig(
  { env, cwd, home, root = cwd, project, trusted = false }: ConfigPlaces,
  read: Read = readJsonFile,
): Promise<Config> {
  /** A list for each file, so that their order is the same whichever is read first. */
  const heard: string[][] = [];
  const listen = (): string[] => {
    const warnings: string[] = [];
    heard.push(warnings);
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
  const [written, factory, models, projectDefaults, registry, rig, settings, userSettings, named] =
    await Promise.all([
      one(serverFile(directory), (files) => files.WrittenServerFile),
      one(factoryFile(directory), (files) => files.FactoryFile),
      nearest(modelsFiles(env, root, home), (files) => files.ModelsFile),
      one(projectDefaultsFile(directory), (files) => files.ProjectDefaults),
      one(registryFile(env), (files) => files.RegistryFile),
      nearest(rigFiles(cwd), (files) => files.RigFile),
      nearest(projectSettingsFiles(cwd), (files) => files.SettingsFile),
      one(userSettingsFile(home), (files) => files.SettingsFile),
      isFolderName(project)
        ? one(projectFile(directory, project), (files) => files.ProjectFile)
        : undefined,
    ]);
  const { value: trust } = await one(trustFile(home), (files) => files.TrustFile);
  const warnings = heard.flat();
  const server = await readServer(written, warnings);
  const around = dirname(directory);
  const vouched = trusted ? "vouched" : "anybody";
  const owner = env.HALYARD_CONFIG ? "user" : vouched;
  return {
    server: server.value ? await toLocalFile(server, around, trust, owner) : server,
    factory,
    models: await toLocalFile(
      models,
      dirname(dirname(models.path)),
      trust,
      models.path === modelsFile(home) ? "user" : owner,
    ),
    projectDefaults,
    registry,
    rig: await toLocalFile(rig, dirname(dirname(rig.path)), trust, vouched),
    settings: await toLocalFile(settings, dirname(settings.path), trust, vouched),
    userSettings,
    ...(named && { project: await toLocalFile(named, around, trust, owner) }),
    warnings,
  };
}

/** Many programs have a `config/server.json`: one that says nothing we know is not ours, and must not choose a runtime. */
async function readServer(
  { path, value }: ConfigFile<WrittenServerFile>,
  warnings: string[],
): Promise<ConfigFile<ServerFile>> {
  const isForeign = warnings.some((line) => line.startsWith(`${path}:`));
  if (value === undefined || (isForeign && Object.keys(value).length === 0)) return { path };
  return { path, value: (await loadFiles()).ServerFile.parse(value) };
}

/** Where the environment names the directory, it is the user who did. */
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

/** A project's id comes from anybody, and must not lead out of the projects. */
function isFolderName(id: string | undefined): id is string {
  return id !== undefined && /^[^./\\][^/\\]*$/.test(id);
}
