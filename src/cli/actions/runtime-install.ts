import { canonicalName } from "../../adapters/aliases.ts";
import { type PinnedPackage, runtimePackages } from "../../adapters/versions.ts";
import { HalyardError } from "../../core/error.ts";
import { install } from "../install/install.ts";
import { openTerminal } from "../terminal.ts";

export async function runtimeInstall(names: readonly string[]): Promise<number> {
  const wanted = names.map(canonicalName).map((name) => [name, packageOf(name)] as const);
  for (const [name, pinned] of wanted) await install(name, pinned, openTerminal());
  return 0;
}

function packageOf(name: string): PinnedPackage {
  const pinned = runtimePackages.get(name);
  if (pinned !== undefined) return pinned;
  const known = [...runtimePackages.keys()].join(", ");
  throw new HalyardError("unknown_runtime", `"${name}" cannot be installed; what can be: ${known}`);
}
