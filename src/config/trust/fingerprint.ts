import { createHash } from "node:crypto";
import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FoundSetting } from "../../schema/project/project-setting.ts";

/**
 * Returns a hash of the settings to which a user's decision applies. Covers the files, but not the programs that they
 * start. Returns undefined if the files exceed 50 MB in total, where each entry counts as at least 1000 bytes.
 */
export async function fingerprint(
  found: readonly FoundSetting[],
  toOrigin = (path: string): string => path,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  let left = LARGEST;
  const [parts, files] = [found.filter(hasValues), found.filter((one) => !hasValues(one))];
  for (const { path, keys, values } of parts)
    hash.update(JSON.stringify([toOrigin(path), keys, values]));
  for (const path of [...new Set(files.map((one) => one.path))].toSorted()) {
    for await (const { name: file, content } of contents(path)) {
      const name = toOrigin(file);
      left -= Math.max(content.length, ENTRY_BYTES);
      if (left < 0) return undefined;
      hash.update(`${name.length}:${name}${content.length}:`).update(content);
    }
  }
  return `sha256:${hash.digest("hex")}`;
}

const hasValues = ({ values }: FoundSetting): boolean => values !== undefined;

const LARGEST = 50_000_000;
/**
 * The minimum number of bytes to count for each entry, so that links that point to each other are not followed forever.
 */
const ENTRY_BYTES = 1000;

/**
 * Yields the files and link targets to hash. Skips packages that a runtime installs next to its plugins, because the
 * runtime itself changes them.
 */
async function* contents(
  path: string,
  above: readonly string[] = [],
): AsyncGenerator<{ name: string; content: Buffer }> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) yield { name: path, content: await readFile(path) };
  if (!found?.isDirectory()) return;
  const real = await realpath(path);
  if (above.includes(real)) return; // a link to a parent directory
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(path, entry.name);
    if (entry.isSymbolicLink()) yield { name, content: Buffer.from(await readlink(name)) };
    const isDirectory = entry.isDirectory() && entry.name !== "node_modules";
    if (entry.isFile() || entry.isSymbolicLink() || isDirectory)
      yield* contents(name, [...above, real]);
  }
}
