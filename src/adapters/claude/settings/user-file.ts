import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes a file below the user's own directory. Follows links, because the user created them: `~/.claude` is often a
 * link to a repository of settings. Throws if the path contains `..`.
 */
export function writeUserFile(root: string, path: string, content: string | Buffer): void {
  if (path.split("/").includes("..")) throw new Error(`${path} is outside ${root}`);
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
}
