import { join } from "node:path";
import { type Platform, thisPlatform } from "../programs/platform.ts";
import { firstExecutable } from "../programs/program.ts";
import { NEWER_NODE, newerNodePrograms } from "./newer-node.ts";
import { createRegistry } from "./registry.ts";

/**
 * Returns the path of the program that `halyard runtime install` installed in a directory. `name` is a runtime, or
 * `node`. Returns undefined if the directory contains no such program.
 */
export async function installedProgram(
  name: string,
  directory: string,
): Promise<string | undefined> {
  const paths = await programsFor(name, thisPlatform);
  return firstExecutable(join(directory, "node_modules"), paths);
}

/**
 * Returns the possible paths of a program below `node_modules` on a platform. `name` is a runtime, or `node`. See
 * `Adapter.programsFor`.
 */
export async function programsFor(name: string, platform: Platform): Promise<readonly string[]> {
  if (name === NEWER_NODE) return newerNodePrograms(platform);
  const registry = createRegistry({ env: {}, runtimesDir: "", detached: false }, []);
  const adapter = await registry.load(name);
  return adapter.programsFor?.(platform) ?? [];
}
