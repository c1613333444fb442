import { runtimePackages } from "../../adapters/versions.ts";
import { HalyardError } from "../../errors/error.ts";
import { openConsole } from "../console/console.ts";
import { install, installDirectory } from "../install/install.ts";
import { isInstalled } from "../install/install-package.ts";
import { requireInstallable } from "./runtime-install.ts";

/**
 * Upgrades runtimes to the versions that this Halyard version was tested with. Without names, upgrades all runtimes
 * that Halyard has installed. Rejects the name of a runtime that Halyard has not installed.
 */
export async function runtimeUpgrade(names: readonly string[]): Promise<number> {
  const console = openConsole();
  const selected = (names.length > 0 ? names : [...runtimePackages.keys()]).map(requireInstallable);
  const installed = [];
  for (const one of selected)
    if (await isInstalled(installDirectory(one.name, console))) installed.push(one);
    else if (names.length > 0) throw notInstalled(one.name);
  for (const { name, pinned } of installed) await install(name, pinned, console);
  if (installed.length === 0)
    await console.err.write(
      "Halyard has not installed any runtime, so there is nothing to upgrade.\n",
    );
  return 0;
}

function notInstalled(name: string): HalyardError {
  return new HalyardError(
    "runtime_unavailable",
    `Halyard has not installed ${name}. Run "halyard runtime install ${name}".`,
  );
}
