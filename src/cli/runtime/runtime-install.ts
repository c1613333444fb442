import { type PinnedPackage, runtimePackages } from "../../adapters/versions.ts";
import { didYouMean } from "../../errors/did-you-mean.ts";
import { HalyardError } from "../../errors/error.ts";
import { canonicalName } from "../../schema/runtimes/built-in-runtimes.ts";
import { openConsole } from "../console/console.ts";
import { install } from "../install/install.ts";

export interface RuntimeInstallOptions {
  readonly force?: boolean;
}

export async function runtimeInstall(
  names: readonly string[],
  options: RuntimeInstallOptions,
): Promise<number> {
  const console = openConsole();
  for (const { name, pinned } of names.map(requireInstallable))
    await install(name, pinned, console, options);
  return 0;
}

/** Returns the package of a runtime by its name or an alias. Throws if Halyard cannot install it. */
export function requireInstallable(name: string): { name: string; pinned: PinnedPackage } {
  const canonical = canonicalName(name);
  const pinned = runtimePackages.get(canonical);
  if (pinned !== undefined) return { name: canonical, pinned };
  const known = [...runtimePackages.keys()].join(", ");
  throw new HalyardError(
    "unknown_runtime",
    `Halyard cannot install "${name}".${didYouMean(name, runtimePackages.keys())} Installable runtimes: ${known}.`,
  );
}
