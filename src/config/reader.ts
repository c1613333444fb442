import type { z } from "zod";
import type { RegistryFile } from "../compat/gas-town/files/registry.ts";
import { HalyardError } from "../errors/error.ts";
import type { Config } from "./config.ts";
import { type JsonFile, readJsonFile } from "./json/json-file.ts";
import { loadConfigWith } from "./load.ts";
import {
  configRoot,
  type Environment,
  homeDirectory,
  ownEnvironment,
  registryFile,
} from "./paths.ts";

/** The fields of a session that its configuration depends on. */
export interface ConfigScope {
  readonly cwd: string;
  readonly project?: string | undefined;
  /** True if the caller trusts the files of the directory. Defaults to false. */
  readonly trusted?: boolean | undefined;
}

/** Provides the configuration of a session. `createConfigReader` reads it from disk. */
export interface ConfigReader {
  read(scope: ConfigScope): Promise<Config>;
  /** Reads the runtimes that the user has registered. They do not depend on a directory. */
  registry(): Promise<RegistryFile>;
}

/** Options of `createConfigReader`. */
export interface ConfigReaderOptions {
  /** The environment variables, such as `HALYARD_CONFIG`. Defaults to the environment of this process. */
  readonly env?: Environment | undefined;
  /** The Halyard home. Defaults to `HALYARD_HOME`, or `.halyard` in the user's home directory. */
  readonly home?: string | undefined;
  /**
   * The directory that contains `config` and `projects`. Defaults to the parent of `projects` if `cwd` is in
   * `projects/<project>`, otherwise to `cwd`.
   */
  readonly root?: string | undefined;
  /** Called once for each distinct warning. `Config.warnings` contains all warnings. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/**
 * Creates a reader that reads the files for every session, so that a change applies to the next session. If a file becomes
 * invalid, the reader returns its last valid content with a warning. `read` rejects with `invalid_config` if a file is
 * invalid and this reader has never read valid content from it.
 */
export function createConfigReader(options: ConfigReaderOptions = {}): ConfigReader {
  const { env = ownEnvironment(), root, onWarning = () => {} } = options;
  const { home = homeDirectory(env) } = options;
  const lastGood = new Map<string, unknown>();
  const received = new Set<string>();
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
      return {
        path,
        value,
        warnings: [`Halyard uses the last valid content of ${path}: ${error.message}`],
      };
    }
  };
  return {
    async read({ cwd, project, trusted = false }) {
      const paths = { env, home, cwd, trusted, root: root ?? configRoot(cwd, project) };
      const config = await loadConfigWith(read, { ...paths, ...(project && { project }) });
      for (const warning of config.warnings ?? []) {
        if (!received.has(warning)) onWarning(warning);
        received.add(warning);
      }
      return config;
    },
    registry: async () =>
      (await read(registryFile(env), registrySchema))?.value ?? { runtimes: {} },
  };
}

const registrySchema = async () => {
  const { acceptZeroValues, RegistryFile } = await import("./files/index.ts");
  return acceptZeroValues(RegistryFile);
};

/** Returns a reader unchanged, or a reader that always returns the given configuration, which defaults to an empty one. */
export function toConfigReader(config: ConfigReader | Config = {}): ConfigReader {
  if ("read" in config) return config;
  return {
    read: async () => config,
    registry: async () => config.registry?.value ?? { runtimes: {} },
  };
}
