import { createHash } from "node:crypto";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FoundSetting } from "../../schema/project-setting.ts";

/**
 * Returns a hash of the settings, which identifies the decision of the user. Covers the files but not the programs that they
 * start. Returns undefined if the files are too large.
 */
export async function fingerprint(
  found: readonly FoundSetting[],
  toOrigin = (path: string): string => path,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  let left = LARGEST;
  for (const path of [...new Set(found.map((one) => one.path))].toSorted()) {
    for await (const { name: file, content } of contents(path)) {
      const name = toOrigin(file);
      left -= content.length;
      if (left < 0) return undefined;
      hash.update(`${name.length}:${name}${content.length}:`).update(content);
    }
  }
  return `sha256:${hash.digest("hex")}`;
}

const LARGEST = 50_000_000;

/** Skips packages that a runtime installs next to its plugins, because the runtime itself changes them. */
async function* contents(path: string): AsyncGenerator<{ name: string; content: Buffer }> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) yield { name: path, content: await readFile(path) };
  if (!found?.isDirectory()) return;
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(path, entry.name);
    if (entry.isSymbolicLink()) yield { name, content: Buffer.from(await readlink(name)) };
    const isDirectory = entry.isDirectory() && entry.name !== "node_modules";
    if (entry.isFile() || entry.isSymbolicLink() || isDirectory) yield* contents(name);
  }
}
