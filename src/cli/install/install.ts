import { join } from "node:path";
import type { PinnedPackage } from "../../adapters/versions.ts";
import { homeDirectory } from "../../config/paths.ts";
import { createSpinner } from "../output/spinner.ts";
import { tilde } from "../output/words.ts";
import type { Terminal } from "../terminal.ts";
import { installPackage, isInstalled } from "./install-package.ts";

/** Where a package is that was fetched on demand; `name` is the runtime's. */
export function installDirectory(name: string, { env }: Terminal): string {
  return join(homeDirectory(env), "runtimes", name);
}

/** Sees to it that the package is in Halyard's home, and tells on standard error how it goes. */
export async function install(
  name: string,
  wanted: PinnedPackage,
  terminal: Terminal,
): Promise<void> {
  const { err, env } = terminal;
  const directory = installDirectory(name, terminal);
  const title = `${wanted.name} ${wanted.version}`;
  if (await isInstalled(wanted, directory))
    return err.write(`${title} is in ${tilde(directory)}\n`);
  await err.write(`Fetching ${title} from npm into ${tilde(directory)}\n`);
  const interrupted = new AbortController();
  const onInterrupt = () => interrupted.abort();
  process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
  const spinner = terminal.isLively ? await createSpinner() : undefined;
  try {
    await installPackage(wanted, directory, {
      env,
      signal: interrupted.signal,
      onProgress: (files) => spinner?.show(`${files} answers from the registry`),
    });
  } finally {
    spinner?.hide();
    process.off("SIGINT", onInterrupt).off("SIGTERM", onInterrupt);
  }
  await err.write(`${err.colors.green("✓")} ${title} is there\n`);
}
