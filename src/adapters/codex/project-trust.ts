import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";

/**
 * Tells Codex whether it may read `.codex` in the working directory and above it. Codex looks a directory up by its own
 * name, by its repository's and by the one that has the settings, and trusts what it does not know once a session may
 * write, so that each of them is named.
 */
export function projectTrust({
  cwd,
  trusted = false,
}: Pick<ConnectRequest, "cwd" | "trusted">): Record<string, string> {
  const level = trusted ? "trusted" : "untrusted";
  const directories = new Set([...upwards(cwd), ...upwards(realOf(cwd))]);
  return Object.fromEntries(
    [...directories].map((directory) => [
      `projects.${JSON.stringify(directory)}.trust_level`,
      level,
    ]),
  );
}

function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory; // in a container it may be another
  }
}
