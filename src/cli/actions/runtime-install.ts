import { type PinnedPackage, runtimePackages } from "../../adapters/versions.ts";
import { HalyardError } from "../../core/error.ts";
import { canonicalName } from "../../schema/built-in-runtimes.ts";
import { install } from "../install/install.ts";
import { openTerminal } from "../terminal.ts";

export interface RuntimeInstallOptions {
  readonly force?: boolean;
}

export async function runtimeInstall(
  names: readonly string[],
  options: RuntimeInstallOptions,
): Promise<number> {
  const terminal = openTerminal();
  for (const { name, pinned } of names.map(installable))
    await install(name, pinned, terminal, options);
  return 0;
}

/** A runtime that Halyard can install, by any of its names. */
export function installable(name: string): { name: string; pinned: PinnedPackage } {
  const canonical = canonicalName(name);
  const pinned = runtimePackages.get(canonical);
  if (pinned !== undefined) return { name: canonical, pinned };
  const known = [...runtimePackages.keys()].join(", ");
  throw new HalyardError(
    "unknown_runtime",
    `"${name}" cannot be installed by Halyard. Runtimes that can: ${known}.`,
  );
}
