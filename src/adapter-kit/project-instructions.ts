import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ConnectRequest } from "../contracts/adapter.ts";
import { isWithin } from "../files/is-within.ts";

/**
 * Returns the request's system prompt. In an untrusted directory, prepends the project's instructions, because the
 * runtime does not read them there. Returns undefined if there is neither a prompt nor instructions.
 */
export async function withInstructions(
  { cwd, systemPrompt, trusted = false }: Pick<ConnectRequest, "cwd" | "systemPrompt" | "trusted">,
  names: readonly string[],
): Promise<string | undefined> {
  const instructions = trusted ? [] : await projectInstructions(cwd, names);
  const all = [...instructions, ...(systemPrompt === undefined ? [] : [systemPrompt])];
  return all.length > 0 ? all.join("\n\n") : undefined;
}

/**
 * Reads a project's instructions, for runtimes that skip them together with the project's settings. Searches the
 * directory and its parents up to the repository root. Uses only the first of the names that exists in any of these
 * directories. Returns the texts from the outermost to the innermost directory.
 */
async function projectInstructions(cwd: string, names: readonly string[]): Promise<string[]> {
  const directories = await withinRepository(await realpath(cwd).catch(() => cwd));
  const root = directories.at(-1) ?? cwd;
  for (const name of names) {
    const texts = await Promise.all(
      directories.map((one) => readInstructions(join(one, name), root)),
    );
    const found = texts.filter((text) => text !== undefined);
    if (found.length > 0) return found.toReversed();
  }
  return [];
}

/**
 * Reads an instructions file. Returns undefined if the file is missing, unreadable or larger than 1 MB. Also returns
 * undefined for a link that leads out of `root`, because such a link could send any of the user's files to the model.
 */
async function readInstructions(path: string, root: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !isWithin(real, root)) return undefined;
  const found = await stat(real).catch(() => undefined);
  if (!found?.isFile() || found.size > LARGEST) return undefined;
  const text = await readFile(real, "utf8").catch(() => undefined);
  return text && `Instructions from: ${path}\n${text}`;
}

/**
 * Returns the directory and its parents up to the repository root. Outside a repository, returns only the directory.
 */
async function withinRepository(cwd: string): Promise<string[]> {
  const directories: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    directories.push(at);
    if (await stat(join(at, ".git")).catch(() => undefined)) return directories;
    if (dirname(at) === at) return [cwd];
  }
}

const LARGEST = 1_000_000;
