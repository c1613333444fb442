import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the links and files below a directory that `isIncluded` accepts, by path: links with their targets, and files with
 * their executable bit and content hash.
 */
export function treeOf(
  root: string,
  isIncluded: (path: string) => boolean,
): Record<string, string> {
  const tree: Record<string, string> = {};
  const visit = (below: string) => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const at = join(below, name);
      if (!isIncluded(at)) continue;
      const stats = lstatSync(join(root, at));
      if (stats.isDirectory()) visit(at);
      else if (stats.isSymbolicLink()) tree[at] = `link ${readlinkSync(join(root, at))}`;
      else tree[at] = `${stats.mode & 0o111 ? "x" : "-"} ${hash(readFileSync(join(root, at)))}`;
    }
  };
  visit("");
  return tree;
}

const hash = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** Returns the files in `.git` except the objects and Halyard's refs, because checkpoints add both. */
export function repositoryOf(root: string): Record<string, string> {
  return treeOf(join(root, ".git"), (at) => at !== "objects" && at !== "refs/halyard");
}
