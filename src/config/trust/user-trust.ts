import type { FoundSetting } from "../../schema/project/project-setting.ts";
import type { TrustFile } from "../files/trust.ts";
import { readJsonFile } from "../json/json-file.ts";
import { type Environment, trustFile } from "../paths.ts";
import { type DirectoryTrust, directoryTrust } from "./directory-trust.ts";
import { findSettings, type SettingsOf } from "./find-settings.ts";
import { ownProjectSettings } from "./own-settings.ts";
import { worktreeOrigin } from "./worktree-origin.ts";

/** The locations of the user's trust decisions and of the settings that they apply to. */
export interface TrustPaths {
  readonly env: Environment;
  /** The Halyard home. */
  readonly home: string;
  /** The project settings of the runtimes. Loaded on demand. */
  readonly runtimeSettings: () => Promise<readonly SettingsOf[]>;
  /** Returns the git settings of a directory's repository that name programs. */
  readonly gitSettings: (cwd: string) => Promise<readonly FoundSetting[]>;
}

/**
 * Reads the user's decision about the files in a directory. If the user's list contains a repository, all worktrees that
 * Halyard creates from it are trusted. If the user only accepted the repository's settings, worktrees with the same
 * settings are trusted.
 */
export async function userTrust(cwd: string, paths: TrustPaths): Promise<DirectoryTrust> {
  const [trust, origin] = await Promise.all([
    readTrust(paths.home),
    worktreeOrigin(cwd, paths.home),
  ]);
  const find = () => projectSettingsIn(cwd, paths);
  return directoryTrust(origin?.directory ?? cwd, trust, find, origin?.toOrigin);
}

/** Returns the settings of Halyard, of all runtimes and of git that exist in a directory or above it. */
export async function projectSettingsIn(
  cwd: string,
  { env, runtimeSettings, gitSettings }: Omit<TrustPaths, "home">,
): Promise<FoundSetting[]> {
  const files = await findSettings(cwd, [ownProjectSettings, ...(await runtimeSettings())], env);
  return [...files, ...(await gitSettings(cwd))];
}

/** Reads `trust.json`. Resolves to undefined if the file does not exist. */
export async function readTrust(home: string): Promise<TrustFile | undefined> {
  const schema = async () => (await import("../files/trust.ts")).TrustFile;
  return (await readJsonFile(trustFile(home), schema))?.value;
}
