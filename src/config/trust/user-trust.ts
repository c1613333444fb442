import type { FoundSetting } from "../../schema/project-setting.ts";
import type { TrustFile } from "../files/trust.ts";
import { readJsonFile } from "../json-file.ts";
import { type Environment, trustFile } from "../paths.ts";
import { type DirectoryTrust, directoryTrust } from "./directory-trust.ts";
import { findSettings, type SettingsOf } from "./find-settings.ts";
import { ownProjectSettings } from "./own-settings.ts";

/** Where the user's decisions are, and what they are about. */
export interface TrustPlaces {
  readonly env: Environment;
  /** Halyard's home. */
  readonly home: string;
  /** The project settings of the runtimes. Loaded only if a decision depends on them. */
  readonly runtimeSettings: () => Promise<readonly SettingsOf[]>;
}

/** What the user has decided about the files of a directory. */
export async function userTrust(cwd: string, places: TrustPlaces): Promise<DirectoryTrust> {
  return directoryTrust(cwd, await readTrust(places.home), () => settingsIn(cwd, places));
}

/** The settings of all runtimes and of Halyard that are in a directory or above it. */
export async function settingsIn(
  cwd: string,
  { env, runtimeSettings }: Pick<TrustPlaces, "env" | "runtimeSettings">,
): Promise<FoundSetting[]> {
  return findSettings(cwd, [ownProjectSettings, ...(await runtimeSettings())], env);
}

/** Undefined if the user has decided nothing yet. */
export async function readTrust(home: string): Promise<TrustFile | undefined> {
  const schema = async () => (await import("../files/trust.ts")).TrustFile;
  return (await readJsonFile(trustFile(home), schema))?.value;
}
