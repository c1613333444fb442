import { join } from "node:path";
import { installedProgram, programsFor } from "../../adapters/installed-program.ts";
import { nodeFor } from "../../adapters/newer-node.ts";
import { runtimePackages } from "../../adapters/versions.ts";
import { didYouMean } from "../../errors/did-you-mean.ts";
import { HalyardError } from "../../errors/error.ts";
import type { PackagedRuntime } from "../../hosts/container/image/build-image.ts";
import type { InstalledRuntime } from "../../hosts/container/image/root-filesystem.ts";
import { lockfileDirectory, readLockfile } from "./lockfiles.ts";

/** Returns the files that the Dockerfile needs to install a runtime. Rejects if the runtime cannot run in an image. */
export async function packagedRuntime(name: string): Promise<PackagedRuntime> {
  if (!imagePackages.has(name)) throw notForImages(name);
  const paths = await Promise.all(linuxPlatforms.map((platform) => programsFor(name, platform)));
  const lockFiles = await readLockfile(lockfileDirectory(name));
  return { name, lockFiles, programs: [...new Set(paths.flat())] };
}

/**
 * Returns a runtime that `halyard runtime install` has installed on this machine. Rejects if the runtime is not installed or
 * cannot run in an image.
 */
export async function installedRuntime(
  name: string,
  runtimesDir: string,
): Promise<InstalledRuntime> {
  if (!imagePackages.has(name)) throw notForImages(name);
  const directory = join(runtimesDir, name);
  const program = await installedProgram(name, directory);
  const node = nodeFor(imagePackages.get(name)?.needsNode, runtimesDir);
  if (program !== undefined && node !== undefined)
    return { name, directory, program, ...(node !== process.execPath && { node }) };
  throw new HalyardError(
    "runtime_unavailable",
    `${name} is not installed, so it cannot be part of the image. Run "halyard runtime install ${name}" first.`,
  );
}

/** All runtimes that Halyard installs, except the Claude Agent SDK, which runs in Halyard's own process. */
const imagePackages = new Map([...runtimePackages].filter(([name]) => name !== "ccsdk"));

/** All platforms that the image may have, because its platform is unknown before the build. */
const linuxPlatforms = ["x64", "arm64"].flatMap((arch) =>
  [false, true].flatMap((isMusl) =>
    [true, false].map((hasAvx2) => ({ platform: "linux", arch, isMusl, hasAvx2 })),
  ),
);

function notForImages(name: string): HalyardError {
  const known = [...imagePackages.keys()].join(", ");
  return new HalyardError(
    "unknown_runtime",
    `"${name}" cannot be part of an image.${didYouMean(name, imagePackages.keys())} Runtimes for images: ${known}.`,
  );
}
