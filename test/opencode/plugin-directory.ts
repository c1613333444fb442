import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Creates a configuration directory of OpenCode with a lock file, so that OpenCode does not download a package for its
 * plugins.
 */
export async function seedPluginDirectory(directory: string): Promise<void> {
  await mkdir(join(directory, "node_modules"), { recursive: true });
  await writeFile(join(directory, "package-lock.json"), JSON.stringify(pluginLock));
}

/** A lock file that contains the package for plugins. */
export const pluginLock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
