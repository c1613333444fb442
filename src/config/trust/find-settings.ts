import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import type { FoundSetting, ProjectSetting } from "../../schema/project-setting.ts";
import type { Environment } from "../paths.ts";

/** Project settings and the program that reads them. */
export interface SettingsOf {
  readonly runtime: string;
  readonly settings: readonly ProjectSetting[];
}

/**
 * Finds the given project settings in a directory and above it, nearest first. Skips the home directory of the user and the
 * directories above it, because they contain the settings of the user.
 */
export async function findSettings(
  cwd: string,
  sources: readonly SettingsOf[],
  env: Environment,
): Promise<FoundSetting[]> {
  const found = new Map<string, FoundSetting>();
  for (const directory of projectDirectories(cwd, env)) {
    for (const { runtime, settings } of sources) {
      for (const setting of settings) {
        const path = join(directory, setting.path);
        const id = JSON.stringify([path, setting.effect, setting.ignoredBy]);
        const known = found.get(id);
        if (known) found.set(id, sharedWith(known, runtime));
        else if (isThere(path, setting)) {
          const keys = await keysIn(path, setting);
          if (keys) found.set(id, toFound({ path, directory, runtime, keys }, setting));
        }
      }
    }
  }
  return [...found.values()];
}

/** Returns the directory and all directories above it, up to the home directory of the user or the root. */
function projectDirectories(cwd: string, env: Environment): string[] {
  const home = resolve(env.HOME || homedir());
  const directories: string[] = [];
  for (let at = resolve(cwd); at !== home; at = dirname(at)) {
    directories.push(at);
    if (dirname(at) === at) break;
  }
  return directories;
}

function sharedWith(known: FoundSetting, runtime: string): FoundSetting {
  return { ...known, runtimes: [...new Set([...known.runtimes, runtime])] };
}

function toFound(
  {
    path,
    directory,
    runtime,
    keys,
  }: Record<"path" | "directory" | "runtime", string> & { keys: string[] },
  { effect, ignoredBy }: ProjectSetting,
): FoundSetting {
  const how = ignoredBy === undefined ? {} : { ignoredBy };
  return { path, directory, runtimes: [runtime], effect, keys, ...how };
}

function isThere(path: string, setting: ProjectSetting): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return setting.path.endsWith("/") ? found?.isDirectory() === true : found !== undefined;
  } catch {
    return false; // no runtime could read it either
  }
}

/** Returns the keys of a file that have an effect, or undefined if there are none. Returns no keys if the file cannot be read. */
async function keysIn(
  path: string,
  { path: name, keys: only, harmlessKeys = [] }: ProjectSetting,
): Promise<string[] | undefined> {
  if (name.endsWith("/")) return [];
  const all = await keysOf(path, await readFile(path, "utf8").catch(() => ""));
  const counts = (key: string) => only?.includes(key) ?? !harmlessKeys.includes(key);
  const keys = all?.filter(counts);
  return keys?.length === 0 ? undefined : (keys ?? []);
}

async function keysOf(path: string, text: string): Promise<string[] | undefined> {
  if (extname(path) === ".toml") return tomlKeys(text);
  const { parse } = await import("jsonc-parser"); // most projects have no such file
  const value: unknown = parse(text);
  return typeof value === "object" && value !== null ? Object.keys(value) : undefined;
}

/** Returns the first part of every table name, and of every key before the first table. */
function tomlKeys(text: string): string[] {
  const lines = text.split("\n");
  const firstTable = lines.findIndex((line) => /^\s*\[/.test(line));
  const keys = firstTable === -1 ? lines : lines.slice(0, firstTable);
  const tables = lines.slice(keys.length).filter((line) => /^\s*\[/.test(line));
  const names = [...keys, ...tables]
    .map((line) => /^[\s[]*["']?([\w$-]+)/.exec(line)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(names)];
}
