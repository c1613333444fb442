import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { z } from "zod";
import { type Environment, homeIn } from "../../core/environment.ts";
import { linkFactoryFile, removeFactoryFile, writeFactoryFile } from "./factory-files.ts";

/** Where the user keeps what belongs to Droid: settings, models, commands, skills. */
export function userFactoryDir(env: Environment): string {
  const home = env.FACTORY_HOME_OVERRIDE || homeIn(env);
  return join(home, ".factory");
}

/** What of the user's settings is of interest here. */
export interface UserSettings {
  readonly hasModels: boolean;
  /** The models of the settings files, as they are there. */
  readonly models: readonly unknown[];
  /** Whether they say anything of copying sessions to Factory. */
  readonly saysSync: boolean;
  /** The variables they refer to. */
  readonly variables: readonly string[];
}

const Settings = z.looseObject({
  cloudSessionSync: z.unknown().optional(),
  customModels: z.array(z.unknown()).default([]),
});

/** The older file for models. */
const Config = z.looseObject({ custom_models: z.array(z.unknown()).default([]) });

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
    saysSync: both.some(({ cloudSessionSync }) => cloudSessionSync !== undefined),
    variables: texts.flatMap((text) =>
      [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? ""),
    ),
  };
}

/** Droid reads these and leaves them alone. */
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

/** Droid adds its own to these. */
const copied = ["droids"];

/** Has a session's own home show what the user has set up. */
export async function showUserFiles(from: string, home: string): Promise<void> {
  for (const name of linked)
    if (await isThere(join(from, name))) linkFactoryFile(home, name, join(from, name));
  for (const directory of copied)
    for (const name of await filesIn(join(from, directory))) {
      const text = await readFile(join(from, directory, name), "utf8");
      writeFactoryFile(home, join(directory, name), text);
    }
}

/** The files below a directory, by their paths in it. */
async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => ((await stat(join(directory, name))).isFile() ? [name] : [])),
  );
  return found.flat();
}

/** Before anything is written: through a link that a session had before, it would end up with the user. */
export function hideUserFiles(home: string): void {
  for (const name of [...linked, ...copied]) removeFactoryFile(home, name);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
