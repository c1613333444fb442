import { rm } from "node:fs/promises";
import { homeError } from "../../core/home-error.ts";
import { installDirectory } from "../install/install.ts";
import { withInstallLock } from "../install/install-lock.ts";
import { isInstalled, removeStagings } from "../install/install-package.ts";
import { tilde } from "../output/words.ts";
import { openTerminal } from "../terminal.ts";
import { installable } from "./runtime-install.ts";

export async function runtimeUninstall(names: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  const { err } = terminal;
  for (const { name } of names.map(installable)) {
    const directory = installDirectory(name, terminal);
    if (!(await isInstalled(directory))) {
      await err.write(`Halyard has not installed ${name}\n`);
      continue;
    }
    const onWait = () => void err.write(`Waiting for another process that installs ${name}\n`);
    try {
      await withInstallLock(directory, { onWait }, async () => {
        await removeStagings(directory);
        await rm(directory, { recursive: true, force: true });
      });
    } catch (error) {
      throw homeError(`Cannot remove ${directory}`, error);
    }
    await err.write(`${err.colors.green("✓")} Removed ${tilde(directory)}\n`);
  }
  return 0;
}
