import type { FoundSetting } from "../../schema/project-setting.ts";
import type { TrustFile } from "../files/trust.ts";
import { readJsonFile } from "../json/json-file.ts";
import { type Environment, trustFile } from "../paths.ts";
import { type DirectoryTrust, directoryTrust } from "./directory-trust.ts";
import { findSettings, type SettingsOf } from "./find-settings.ts";
import { ownProjectSettings } from "./own-settings.ts";
import { worktreeOrigin } from "./worktree-origin.ts";

/** The files with the trust decisions of the user, and the settings that they apply to. */
export interface TrustPaths {
  readonly env: Environment;
  /** The Halyard home. */
  readonly home: string;
  /** The project settings of the runtimes. Loaded only if a decision depends on them. */
  readonly runtimeSettings: () => Promise<readonly SettingsOf[]>;
}

/**
 * Reads the decision of the user about the files of a directory. The decision about a repository applies to the worktrees
 * that Halyard creates of it: to all of them if the list of the user contains it, otherwise to those with the same settings.
 */
export async function userTrust(cwd: string, paths: TrustPaths): Promise<DirectoryTrust> {
  const [trust, origin] = await Promise.all([
    readTrust(paths.home),
    worktreeOrigin(cwd, paths.home),
  ]);
  const find = () => projectSettingsIn(cwd, paths);
  return directoryTrust(origin?.directory ?? cwd, trust, find, origin?.toOrigin);
}

/** Returns the settings of Halyard and of all runtimes that exist in a directory or above it. */
export async function projectSettingsIn(
  cwd: string,
  { env, runtimeSettings }: Pick<TrustPaths, "env" | "runtimeSettings">,
): Promise<FoundSetting[]> {
  return findSettings(cwd, [ownProjectSettings, ...(await runtimeSettings())], env);
}

/** Reads `trust.json`. Resolves to undefined if the user has not made a decision yet. */
export async function readTrust(home: string): Promise<TrustFile | undefined> {
  const schema = async () => (await import("../files/trust.ts")).TrustFile;
  return (await readJsonFile(trustFile(home), schema))?.value;
}
