import { join } from "node:path";
import type { PinnedPackage } from "../../adapters/versions.ts";
import { homeDirectory } from "../../config/paths.ts";
import { HalyardError } from "../../core/error.ts";
import { homeError } from "../../core/home-error.ts";
import { tilde } from "../output/words.ts";
import type { Terminal } from "../terminal.ts";
import { findFault, type Installation, NOT_INSTALLED } from "./find-fault.ts";
import { withInstallLock } from "./install-lock.ts";
import { installPackage } from "./install-package.ts";
import { lockOf } from "./locks.ts";
import { showProgress } from "./progress.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** Where a package is that was fetched on demand; `name` is the runtime's. */
export function installDirectory(name: string, { env }: Terminal): string {
  return join(homeDirectory(env), "runtimes", name);
}

/** Makes sure that a package is in Halyard's home and works, and reports progress on standard error. */
export async function install(
  name: string,
  pinned: PinnedPackage,
  terminal: Terminal,
  { force = false }: { readonly force?: boolean } = {},
): Promise<void> {
  const { err, env } = terminal;
  const directory = installDirectory(name, terminal);
  const installation = { name, pinned, directory };
  const title = `${pinned.name} ${pinned.version}`;
  if (!force && (await findFault(installation, { env })) === undefined)
    return err.write(`${title} is in ${tilde(directory)}\n`);
  await untilInterrupted((signal) =>
    withInstallLock(directory, { signal, onWait: () => void announceWait(name, terminal) }, () =>
      replace(installation, { terminal, force, signal }),
    ),
  ).catch((error: unknown) => {
    throw asInstallError(error, title);
  });
  await err.write(`${err.colors.green("✓")} ${title} is in ${tilde(directory)}\n`);
}

async function announceWait(name: string, { err }: Terminal): Promise<void> {
  await err.write(`Waiting for another process that installs ${name}\n`);
}

async function replace(
  installation: Installation,
  options: { readonly terminal: Terminal; readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { terminal, force, signal } = options;
  const { env, err } = terminal;
  const { name, pinned, directory } = installation;
  const fault = force ? "--force was given" : await findFault(installation, { env });
  if (fault === undefined) return; // another process has installed it in the meantime
  if (fault !== NOT_INSTALLED) await err.write(`Installing ${name} again: ${fault}\n`);
  await err.write(`Fetching ${pinned.name} ${pinned.version} from npm into ${tilde(directory)}\n`);
  await using progress = await showProgress(terminal);
  const verify = async (staging: string): Promise<void> => {
    const problem = await findFault({ ...installation, directory: staging }, { env });
    if (problem === undefined) return;
    throw new HalyardError("runtime_unavailable", `It does not work here: ${problem}.`);
  };
  const request = { lock: lockOf(name), directory, verify };
  await installPackage(request, { env, signal, onProgress: progress.update });
}

/** Names the package in an error, and maps what the file system refuses to what the user can do about it. */
function asInstallError(error: unknown, title: string): unknown {
  const what = `Cannot install ${title}`;
  if (error instanceof HalyardError)
    return error.code === "cancelled"
      ? error
      : new HalyardError(error.code, `${what}. ${error.message}`, { cause: error });
  return error instanceof Error && "syscall" in error ? homeError(what, error) : error;
}
