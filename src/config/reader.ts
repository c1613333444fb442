import type { z } from "zod";
import { HalyardError } from "../core/error.ts";
import type { Config } from "./config.ts";
import type { RegistryFile } from "./files/registry.ts";
import { type JsonFile, readJsonFile } from "./json-file.ts";
import { loadConfig } from "./load.ts";
import {
  configRoot,
  type Environment,
  homeDirectory,
  ownEnvironment,
  registryFile,
} from "./paths.ts";

/** Where a session is to be, as far as its configuration depends on it. */
export interface ConfigPlace {
  readonly cwd: string;
  readonly project?: string | undefined;
  /** True if the files of the directory are vouched for. */
  readonly trusted?: boolean | undefined;
}

/** The configuration as it is on disk now. */
export interface ConfigReader {
  read(place: ConfigPlace): Promise<Config>;
  /** The part of it that holds everywhere: the runtimes of the user. */
  registry(): Promise<RegistryFile>;
}

/** What a reader of the configuration is made with. */
export interface ConfigReaderOptions {
  /** This process's environment unless given. */
  readonly env?: Environment | undefined;
  /** Halyard's home: `HALYARD_HOME`, or `.halyard` in the user's home, unless given. */
  readonly home?: string | undefined;
  /** Where `config` and `projects` are: around a session's project or in its working directory unless given. */
  readonly root?: string | undefined;
  /** Hears of each warning once; `Config.warnings` has them all. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/**
 * Reads afresh each time, so that a change holds for the next session. A file that cannot be read, half-written or
 * mistaken, stays as it last was good, and the warnings say so; one that never was good is an error.
 */
export function createConfigReader(options: ConfigReaderOptions = {}): ConfigReader {
  const { env = ownEnvironment(), root, onWarning = () => {} } = options;
  const { home = homeDirectory(env) } = options;
  const lastGood = new Map<string, unknown>();
  const told = new Set<string>();
  const read = async <S extends z.ZodType>(
    path: string,
    schemaOf: () => S | Promise<S>,
  ): Promise<JsonFile<z.output<S>> | undefined> => {
    try {
      const file = await readJsonFile(path, schemaOf);
      if (file) lastGood.set(path, file.value);
      else lastGood.delete(path);
      return file;
    } catch (error) {
      if (!(error instanceof HalyardError) || !lastGood.has(path)) throw error;
      const value = (await schemaOf()).parse(lastGood.get(path));
      return { path, value, warnings: [`${error.message}; what it said before still holds`] };
    }
  };
  return {
    async read({ cwd, project, trusted = false }) {
      const places = { env, home, cwd, trusted, root: root ?? configRoot(cwd, project) };
      const config = await loadConfig({ ...places, ...(project && { project }) }, read);
      for (const warning of config.warnings ?? []) {
        if (!told.has(warning)) onWarning(warning);
        told.add(warning);
      }
      return config;
    },
    registry: async () =>
      (await read(registryFile(env), registrySchema))?.value ?? { runtimes: {} },
  };
}

const registrySchema = async () => (await import("./files/registry.ts")).RegistryFile;

/** A reader for a configuration that stays as it is, and for none. */
export function toConfigReader(config: ConfigReader | Config = {}): ConfigReader {
  if ("read" in config) return config;
  return {
    read: async () => config,
    registry: async () => config.registry?.value ?? { runtimes: {} },
  };
}
