import { join } from "node:path";
import { satisfiesNode } from "../programs/node-range.ts";
import type { Platform } from "../programs/platform.ts";
import { thisPlatform } from "../programs/platform.ts";
import { firstExecutable } from "../programs/program.ts";
import { nodePackages, type PinnedPackage } from "./versions.ts";

/** The name of the directory below `runtimes` and `locks` that contains a newer Node for programs that need one. */
export const NEWER_NODE = "node";

/** Returns the package that contains Node for a platform. Returns undefined if none is published. */
export function newerNodePackage({ platform, arch }: Platform): PinnedPackage | undefined {
  return nodePackages.get(`${platform}-${arch}`);
}

/** Returns the possible paths of the newer Node below `node_modules`. */
export function newerNodePrograms(on: Platform): readonly string[] {
  const pinned = newerNodePackage(on);
  return pinned ? [join(pinned.name, "bin", on.platform === "win32" ? "node.exe" : "node")] : [];
}

/**
 * Returns the Node executable that runs a program: this process's Node, or the Node that `halyard runtime install`
 * installed beside the program. Returns undefined if neither satisfies the range, or if the newer Node is not installed.
 */
export function nodeFor(range: string | undefined, runtimesDir: string): string | undefined {
  if (range === undefined || satisfiesNode(process.versions.node, range)) return process.execPath;
  const pinned = newerNodePackage(thisPlatform);
  if (pinned === undefined || !satisfiesNode(pinned.version, range)) return undefined;
  const modules = join(runtimesDir, NEWER_NODE, "node_modules");
  return firstExecutable(modules, newerNodePrograms(thisPlatform));
}
