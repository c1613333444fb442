import { rm } from "node:fs/promises";
import { NEWER_NODE } from "../../adapters/newer-node.ts";
import { homeError } from "../../errors/home-error.ts";
import { openConsole } from "../console/console.ts";
import { installDirectory } from "../install/install.ts";
import { withInstallLock } from "../install/install-lock.ts";
import { isInstalled, removeStagings } from "../install/install-package.ts";
import { abbreviateHome } from "../text/format.ts";
import { requireInstallable } from "./runtime-install.ts";

export async function runtimeUninstall(names: readonly string[]): Promise<number> {
  const console = openConsole();
  const { err } = console;
  const selected = names.map(requireInstallable);
  // The newer Node was installed only for the runtimes that need it.
  const needsNode = selected.some(({ pinned }) => pinned.needsNode !== undefined);
  const hasNode = needsNode && (await isInstalled(installDirectory(NEWER_NODE, console)));
  const all = [...selected.map(({ name }) => name), ...(hasNode ? [NEWER_NODE] : [])];
  for (const name of all) {
    const directory = installDirectory(name, console);
    if (!(await isInstalled(directory))) {
      await err.write(`Halyard has not installed ${name}, so there is nothing to remove.\n`);
      continue;
    }
    const onWait = () =>
      void err.write(`Waiting for another process that is installing ${name}…\n`);
    try {
      await withInstallLock(directory, { onWait }, async () => {
        await removeStagings(directory);
        await rm(directory, { recursive: true, force: true });
      });
    } catch (error) {
      throw homeError(`Cannot remove ${directory}`, error);
    }
    await err.write(`${err.colors.green("✓")} Removed ${abbreviateHome(directory)}\n`);
  }
  return 0;
}
