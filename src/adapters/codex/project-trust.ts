import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { ConnectRequest } from "../../contracts/adapter.ts";

/**
 * Returns the settings that allow or forbid Codex to read `.codex` in the working directory and above. Codex looks up
 * the working directory, its repository and the directory with the settings, and trusts an unlisted directory if the
 * session may write. Therefore, the settings list the working directory and every directory above it.
 */
export function projectTrust({
  cwd,
  trusted = false,
}: Pick<ConnectRequest, "cwd" | "trusted">): Record<string, string> {
  const level = trusted ? "trusted" : "untrusted";
  const directories = new Set([...ancestors(cwd), ...ancestors(resolveLinks(cwd))]);
  return Object.fromEntries(
    [...directories].map((directory) => [
      `projects.${JSON.stringify(directory)}.trust_level`,
      level,
    ]),
  );
}

function ancestors(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...ancestors(above)];
}

function resolveLinks(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory; // the directory may exist only inside the container
  }
}
