import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { ParseError } from "jsonc-parser";
import type { FoundSetting, ProjectSetting } from "../../schema/project/project-setting.ts";
import { readText } from "../json/json-file.ts";
import type { Environment } from "../paths.ts";

/** Project settings and the program that reads them. */
export interface SettingsOf {
  readonly runtime: string;
  readonly settings: readonly ProjectSetting[];
}

/**
 * Finds the given project settings in a directory and above it, nearest first. Stops at the user's home directory,
 * because it contains the user's own settings.
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

/**
 * Returns the directory and all directories above it, up to the user's home directory or the root. If the path contains
 * links, also returns the directories above the resolved path, because a process reads the resolved path of its working
 * directory.
 */
function projectDirectories(cwd: string, env: Environment): string[] {
  const home = realIfExists(resolve(env.HOME || homedir()));
  const directories = new Map<string, string>();
  for (const start of [resolve(cwd), realIfExists(resolve(cwd))]) {
    for (let at = start; ; at = dirname(at)) {
      const real = realIfExists(at);
      if (real === home) break;
      if (!directories.has(real)) directories.set(real, at);
      if (dirname(at) === at) break;
    }
  }
  return [...directories.values()];
}

function realIfExists(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
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
    return false; // a runtime could not read the file either
  }
}

/**
 * Returns the keys of a file that have an effect, or undefined if it has no such key. Returns an empty list for a
 * directory, and for a file that cannot be read or parsed.
 */
async function keysIn(
  path: string,
  { path: name, keys: only, harmlessKeys = [] }: ProjectSetting,
): Promise<string[] | undefined> {
  if (name.endsWith("/")) return [];
  const text = textOf(path);
  const all = text === undefined ? undefined : await keysOf(path, text);
  const counts = (key: string) =>
    key === "__proto__" ||
    (only?.some((name) => isNamed(key, name)) ?? !harmlessKeys.includes(key));
  const keys = all?.filter(counts);
  return keys?.length === 0 ? undefined : (keys ?? []);
}

/** True if the name equals the key, or is a pattern that matches the key. A pattern starts or ends with an asterisk. */
function isNamed(key: string, name: string): boolean {
  if (name.startsWith("*")) return key.endsWith(name.slice(1));
  return name.endsWith("*") ? key.startsWith(name.slice(0, -1)) : key === name;
}

/** Reads a file. Returns undefined if it cannot be read, such as a pipe or a link to a device. */
function textOf(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined;
  }
}

async function keysOf(path: string, text: string): Promise<string[] | undefined> {
  if (extname(path) === ".toml") return tomlKeys(text);
  if (basename(path) === ".env") return variablesIn(text);
  return jsonKeys(text);
}

/**
 * Returns the names in a JSON object with comments. Reads the names from the text, because a parsed value would hide
 * `__proto__`, whose content some programs use as settings. Returns undefined for any other text, because a program may
 * accept more than JSON, such as unquoted names.
 */
async function jsonKeys(text: string): Promise<string[] | undefined> {
  const { parseTree } = await import("jsonc-parser"); // loaded on demand, because most projects have no such file
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (tree?.type !== "object" || errors.length > 0) return undefined;
  return (tree.children ?? []).map(({ children: [name] = [] }) => String(name?.value));
}

/**
 * Returns the top-level names of a TOML file: the first part of every table name, and of every key before the first
 * table. Returns undefined if a name is quoted with escapes, or if a value may span several lines. One of these lines
 * could look like a table and hide the keys after it. A comment with a bracket counts as such a value, because it can
 * hide that a line opens a list.
 */
function tomlKeys(text: string): string[] | undefined {
  const lines = text.split("\n");
  const count = (line: string, character: string) => line.split(character).length;
  const isWhole = (line: string) => count(line, "[") === count(line, "]") && !/#.*[[\]]/.test(line);
  if (/"""|'''/.test(text) || !lines.every(isWhole)) return undefined;
  const firstTable = lines.findIndex((line) => /^\s*\[/.test(line));
  const keys = firstTable === -1 ? lines : lines.slice(0, firstTable);
  const tables = lines.slice(keys.length).filter((line) => /^\s*\[/.test(line));
  const named = [...keys, ...tables].filter((line) => !/^\s*(#|$)/.test(line));
  const names = named.map((line) => /^[\s[]*(?:"([\w$-]+)"|'([\w$-]+)'|([\w$-]+))/.exec(line));
  // A name with an escape, such as "\u006dcp", can stand for any name.
  if (names.includes(null)) return undefined;
  return [...new Set(names.map((name) => name?.[1] ?? name?.[2] ?? name?.[3] ?? ""))];
}

/** Returns the names in a file of environment variables. Python programs also read names in quotes. */
function variablesIn(text: string): string[] {
  const names = text.matchAll(/^\s*(?:export\s+)?(["']?)([\w.-]+)\1\s*[=:]/gm);
  return [...names].map(([, , name = ""]) => name);
}
