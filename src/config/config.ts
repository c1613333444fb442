import type { ProjectDefaults } from "../schema/project.ts";
import type { FactoryFile } from "./files/factory.ts";
import type { ModelsFile } from "./files/models.ts";
import type { ProjectFile } from "./files/project.ts";
import type { RegistryFile } from "./files/registry.ts";
import type { RigFile } from "./files/rig.ts";
import type { ServerFile } from "./files/server.ts";
import type { SettingsFile } from "./files/settings.ts";

/** A file of the configuration: where it is or would be, and what it says if it is there. */
export interface ConfigFile<T> {
  readonly path: string;
  readonly value?: T;
}

/** A file that comes with a directory, and so from anybody. */
export interface LocalFile<T> extends ConfigFile<T> {
  /** The directory, for whoever has to decide whether to trust it. */
  readonly directory: string;
  readonly isTrusted: boolean;
  /** Set if the environment names the directory: it is the user's own. */
  readonly isUsers?: true;
}

/** All that files say of how sessions are to be run in one place. What is left out was not looked for. */
export interface Config {
  /** `config/server.json`. */
  readonly server?: ConfigFile<ServerFile> & Partial<LocalFile<ServerFile>>;
  /** `config/factory.json`. Holds a key. */
  readonly factory?: ConfigFile<FactoryFile>;
  /** `config/models.json`. Holds keys. */
  readonly models?: LocalFile<ModelsFile>;
  /** `config/project-defaults.json`. */
  readonly projectDefaults?: ConfigFile<ProjectDefaults>;
  /** `projects/<id>/metadata.json` of the project that was named. */
  readonly project?: LocalFile<ProjectFile>;
  /** `~/.gastown/runtimes.json`. */
  readonly registry?: ConfigFile<RegistryFile>;
  /** `.gastown/runtime.json` of the rig around the working directory. */
  readonly rig?: LocalFile<RigFile>;
  /** `halyard.json` of the project around the working directory. */
  readonly settings?: LocalFile<SettingsFile>;
  /** `config.json` in Halyard's home. */
  readonly userSettings?: ConfigFile<SettingsFile>;
  /** What they say that means nothing here, each with its place. */
  readonly warnings?: readonly string[];
}
