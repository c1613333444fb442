import { runtimePackages } from "../../adapters/versions.ts";
import { HalyardError } from "../../core/error.ts";
import { install, installDirectory } from "../install/install.ts";
import { isInstalled } from "../install/install-package.ts";
import { openTerminal } from "../terminal.ts";
import { installable } from "./runtime-install.ts";

/** Brings installed runtimes to the versions that this Halyard was tested with; all of them if none is named. */
export async function runtimeUpgrade(names: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  const asked = (names.length > 0 ? names : [...runtimePackages.keys()]).map(installable);
  const installed = [];
  for (const one of asked)
    if (await isInstalled(installDirectory(one.name, terminal))) installed.push(one);
    else if (names.length > 0) throw notInstalled(one.name);
  for (const { name, pinned } of installed) await install(name, pinned, terminal);
  if (installed.length === 0) await terminal.err.write("Halyard has installed no runtime\n");
  return 0;
}

function notInstalled(name: string): HalyardError {
  return new HalyardError(
    "runtime_unavailable",
    `Halyard has not installed ${name}. Run "halyard runtime install ${name}".`,
  );
}
