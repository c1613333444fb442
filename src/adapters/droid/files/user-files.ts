import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { z } from "zod";
import { type Environment, homeIn } from "../../../programs/environment.ts";
import { linkFactoryFile, removeFactoryFile, writeFactoryFile } from "./factory-files.ts";

/** Returns the user's Droid directory, with settings, models, commands and skills. */
export function userFactoryDir(env: Environment): string {
  const home = env.FACTORY_HOME_OVERRIDE || homeIn(env);
  return join(home, ".factory");
}

/** The part of the user's Droid settings that the adapter uses. */
export interface UserSettings {
  readonly hasModels: boolean;
  /** The unparsed list of models in `settings.local.json` or, if it has none, in `settings.json`. */
  readonly models: readonly unknown[];
  /** True if the settings enable or disable the upload of sessions to Factory. */
  readonly setsSync: boolean;
  /** The names of the environment variables that the files reference. */
  readonly variables: readonly string[];
}

const Settings = z.looseObject({
  cloudSessionSync: z.unknown().optional(),
  customModels: z.array(z.unknown()).default([]),
});

/** The older file format for models. */
const Config = z.looseObject({ custom_models: z.array(z.unknown()).default([]) });

/** Reads the user's Droid settings. A missing or invalid file counts as empty. */
export async function readUserSettings(directory: string): Promise<UserSettings> {
  const texts = await Promise.all(
    ["settings.json", "settings.local.json", "config.json", "mcp.json"].map((name) =>
      readFile(join(directory, name), "utf8").catch(() => "{}"),
    ),
  );
  const [settings, local, config] = texts.map((text): unknown => parse(text));
  const both = [settings, local].flatMap((one) => Settings.safeParse(one).data ?? []);
  const older = Config.safeParse(config).data?.custom_models ?? [];
  return {
    hasModels: older.length > 0 || both.some(({ customModels }) => customModels.length > 0),
    models: both.findLast(({ customModels }) => customModels.length > 0)?.customModels ?? [],
    setsSync: both.some(({ cloudSessionSync }) => cloudSessionSync !== undefined),
    variables: texts.flatMap((text) =>
      [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? ""),
    ),
  };
}

/** Files that Halyard links, because Droid only reads them. */
const linked = [
  "settings.json",
  "config.json",
  "mcp.json",
  "hooks.json",
  "AGENTS.md",
  "commands",
  "skills",
  "hooks",
];

/** Directories that Halyard copies, because Droid adds files to them. */
const copied = ["droids"];

/** Links or copies the user's Droid files into a session's home. */
export async function linkUserFiles(from: string, home: string): Promise<void> {
  for (const name of linked)
    if (await exists(join(from, name))) linkFactoryFile(home, name, join(from, name));
  for (const directory of copied)
    for (const name of await filesIn(join(from, directory))) {
      const text = await readFile(join(from, directory, name), "utf8");
      writeFactoryFile(home, join(directory, name), text);
    }
}

/** Returns the paths of all files below a directory, relative to it. */
async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => ((await stat(join(directory, name))).isFile() ? [name] : [])),
  );
  return found.flat();
}

/** Removes an earlier start's links and copies. Otherwise, a write through such a link would change the user's file. */
export function unlinkUserFiles(home: string): void {
  for (const name of [...linked, ...copied]) removeFactoryFile(home, name);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
