import { join } from "node:path";
import { installedProgram, programsFor } from "../../adapters/installed-program.ts";
import { runtimePackages } from "../../adapters/versions.ts";
import type { PackagedRuntime } from "../../containers/image/build-image.ts";
import type { InstalledRuntime } from "../../containers/image/root-filesystem.ts";
import { HalyardError } from "../../core/error.ts";
import { lockOf, readLock } from "./locks.ts";

/** A runtime as the Dockerfile installs it. Rejects with `unknown_runtime` if it cannot be in an image. */
export async function packagedRuntime(name: string): Promise<PackagedRuntime> {
  if (!imagePackages.has(name)) throw notForImages(name);
  const paths = await Promise.all(linuxPlatforms.map((platform) => programsFor(name, platform)));
  const lockFiles = await readLock(lockOf(name));
  return { name, lockFiles, programs: [...new Set(paths.flat())] };
}

/** A runtime as `halyard runtime install` has installed it on this machine. */
export async function installedRuntime(
  name: string,
  runtimesDir: string,
): Promise<InstalledRuntime> {
  if (!imagePackages.has(name)) throw notForImages(name);
  const directory = join(runtimesDir, name);
  const program = await installedProgram(name, directory);
  if (program !== undefined) return { name, directory, program };
  throw new HalyardError(
    "runtime_unavailable",
    `${name} is not installed, so it cannot be part of the image. Run "halyard runtime install ${name}" first.`,
  );
}

/** The Claude Agent SDK runs in Halyard's own process. */
const imagePackages = new Map([...runtimePackages].filter(([name]) => name !== "ccsdk"));

/** The architecture, the C library and the processor of the image are not known before it is built. */
const linuxPlatforms = ["x64", "arm64"].flatMap((arch) =>
  [false, true].flatMap((isMusl) =>
    [true, false].map((hasAvx2) => ({ platform: "linux", arch, isMusl, hasAvx2 })),
  ),
);

function notForImages(name: string): HalyardError {
  const known = [...imagePackages.keys()].join(", ");
  return new HalyardError(
    "unknown_runtime",
    `"${name}" cannot be part of an image. Runtimes for images: ${known}.`,
  );
}
