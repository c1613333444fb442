import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installedProgram, programsFor } from "../../adapters/installed-program.ts";
import { nodeFor } from "../../adapters/newer-node.ts";
import type { PinnedPackage } from "../../adapters/versions.ts";
import type { Environment } from "../../config/paths.ts";
import { reasonOf } from "../../errors/error.ts";
import { thisPlatform } from "../../programs/platform.ts";
import { programVersion } from "../../programs/program-version.ts";
import { lockfileDirectory } from "./lockfiles.ts";

/** A package that is installed on demand. */
export interface Installation {
  /** The name under which Halyard installs the package, such as `codex` or `acp-sdk`. */
  readonly name: string;
  readonly pinned: PinnedPackage;
  readonly directory: string;
}

/**
 * Returns the reason why an installation cannot be used. Returns undefined if the installation has the pinned version, was
 * installed from the lockfile of this Halyard version, and its program, if any, runs.
 */
export async function findFault(
  { name, pinned, directory }: Installation,
  { env }: { readonly env: Environment },
): Promise<string | undefined> {
  const version = await versionIn(join(directory, "node_modules", pinned.name));
  if (version === undefined) return NOT_INSTALLED;
  if (version !== pinned.version) return `version ${version} is installed`;
  const lock = await readFile(join(directory, "package-lock.json"), "utf8").catch(() => "");
  const wanted = await readFile(new URL("package-lock.json", lockfileDirectory(name)), "utf8");
  if (lock !== wanted) return "it was not installed from the lockfile of this Halyard version";
  if ((await programsFor(name, thisPlatform)).length === 0) return undefined;
  const program = await installedProgram(name, directory);
  const { platform, arch } = thisPlatform;
  if (program === undefined)
    return (
      `it has no program for ${platform}-${arch}: npm could not fetch that package, or its hash differs from ` +
      "the lockfile" // in both cases, npm omits the optional package without an error
    );
  const node = pinned.needsNode && nodeFor(pinned.needsNode, dirname(directory));
  if (pinned.needsNode !== undefined && node === undefined)
    return `it needs Node ${pinned.needsNode}, but this is Node ${process.versions.node}`;
  return programVersion(program, { env, node }).then(() => undefined, reasonOf);
}

export const NOT_INSTALLED = "it is not installed";

async function versionIn(directory: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
    const { version } = manifest as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
