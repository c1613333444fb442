import type { RegistryFile } from "../compat/gas-town/files/registry.ts";
import type { RigFile } from "../compat/gas-town/files/rig.ts";
import type { ProjectDefaults } from "../schema/project/project.ts";
import type { PriceTable } from "../schema/usage/prices.ts";
import type { FactoryFile } from "./files/factory.ts";
import type { ModelsFile } from "./files/models.ts";
import type { ProjectFile } from "./files/project.ts";
import type { ServerFile } from "./files/server.ts";
import type { SettingsFile } from "./files/settings.ts";

/** A configuration file: its path, and its value unless the file is missing or ignored. */
export interface ConfigFile<T> {
  readonly path: string;
  readonly value?: T;
}

/** A configuration file in a directory whose content may come from someone else, such as a cloned repository. */
export interface LocalFile<T> extends ConfigFile<T> {
  /** The directory that the user has to trust. */
  readonly directory: string;
  readonly isTrusted: boolean;
  /**
   * Set if `HALYARD_CONFIG` names the directory, or if the file is in the Halyard home. Such a file is trusted.
   */
  readonly isUsers?: true;
}

/** The contents of all configuration files that apply to a directory. An omitted file was not read or does not exist. */
export interface Config {
  /** `config/server.json`. */
  readonly server?: ConfigFile<ServerFile> & Partial<LocalFile<ServerFile>>;
  /** `config/factory.json`. Contains a key. */
  readonly factory?: ConfigFile<FactoryFile> & Partial<LocalFile<FactoryFile>>;
  /** `config/models.json`, or `models.json` in the Halyard home. Contains keys. */
  readonly models?: LocalFile<ModelsFile>;
  /** `config/project-defaults.json`. */
  readonly projectDefaults?: ConfigFile<ProjectDefaults>;
  /** `projects/<id>/metadata.json` of the requested project. */
  readonly project?: LocalFile<ProjectFile>;
  /** The registry of runtimes in the user's home directory. */
  readonly registry?: ConfigFile<RegistryFile>;
  /** The file that sets the runtime of a directory, in the working directory or in the nearest directory above it. */
  readonly directory?: LocalFile<RigFile>;
  /** `halyard.json` in the working directory or in the nearest directory above it. */
  readonly settings?: LocalFile<SettingsFile>;
  /** `config.json` in the Halyard home. */
  readonly userSettings?: ConfigFile<SettingsFile>;
  /** `prices.json` in the Halyard home. */
  readonly prices?: ConfigFile<PriceTable>;
  /** Warnings about unknown keys, with their positions, and about ignored files. */
  readonly warnings?: readonly string[];
}
