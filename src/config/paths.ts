import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where sessions, runtimes and the user's own settings are kept: `HALYARD_HOME`, or `~/.halyard`. */
export function homeDirectory(env: Environment): string {
  return resolve(env.HALYARD_HOME || join(homedir(), ".halyard"));
}

/** Where a project keeps `models.json` and its like: `HALYARD_CONFIG`, or `config` in the working directory. */
export function configDirectory(env: Environment, cwd: string): string {
  return resolve(cwd, env.HALYARD_CONFIG || "config");
}

export const modelsFile = (configDir: string): string => join(configDir, "models.json");

/** The user's own settings. */
export const userSettingsFile = (home: string): string => join(home, "config.json");

/** Where a project's settings may be: `halyard.json` in the working directory or above it, the nearest first. */
export function projectSettingsFiles(cwd: string): string[] {
  const files: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    files.push(join(directory, "halyard.json"));
    if (dirname(directory) === directory) return files;
  }
}
