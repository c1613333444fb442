import { join } from "node:path";
import { NEWER_NODE, newerNodePackage } from "../../adapters/newer-node.ts";
import type { PinnedPackage } from "../../adapters/versions.ts";
import { homeDirectory } from "../../config/paths.ts";
import { HalyardError } from "../../errors/error.ts";
import { homeError } from "../../errors/home-error.ts";
import { sentence } from "../../errors/sentence.ts";
import { satisfiesNode } from "../../programs/node-range.ts";
import { thisPlatform } from "../../programs/platform.ts";
import type { Console } from "../console/console.ts";
import { abbreviateHome } from "../text/format.ts";
import { findFault, type Installation, NOT_INSTALLED } from "./find-fault.ts";
import { withInstallLock } from "./install-lock.ts";
import { installPackage } from "./install-package.ts";
import { lockfileDirectory } from "./lockfiles.ts";
import { showProgress } from "./progress.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** Returns the directory of a package that is installed on demand. `name` is a name such as `codex` or `acp-sdk`. */
export function installDirectory(name: string, { env }: Console): string {
  return join(homeDirectory(env), "runtimes", name);
}

/** True if a package is installed in Halyard's home and works. */
export async function isInstalled(
  name: string,
  pinned: PinnedPackage,
  console: Console,
): Promise<boolean> {
  const directory = installDirectory(name, console);
  return (await findFault({ name, pinned, directory }, console)) === undefined;
}

/**
 * Installs a package into Halyard's home. Has no effect if a working installation exists, unless `force` is true. Also
 * installs the Node version that the package needs if the current Node is too old. Prints progress on standard error.
 */
export async function install(
  name: string,
  pinned: PinnedPackage,
  console: Console,
  { force = false }: { readonly force?: boolean } = {},
): Promise<void> {
  const { err, env } = console;
  await installNodeFor(pinned, console);
  const directory = installDirectory(name, console);
  const installation = { name, pinned, directory };
  const title = `${pinned.name} ${pinned.version}`;
  if (!force && (await findFault(installation, { env })) === undefined)
    return err.write(`${title} is already in ${abbreviateHome(directory)}\n`);
  await untilInterrupted((signal) =>
    withInstallLock(directory, { signal, onWait: () => void announceWait(name, console) }, () =>
      replace(installation, { console, force, signal }),
    ),
  ).catch((error: unknown) => {
    throw asInstallError(error, title);
  });
  await err.write(`${err.colors.green("✓")} ${title} is in ${abbreviateHome(directory)}\n`);
}

async function installNodeFor({ name, needsNode }: PinnedPackage, console: Console): Promise<void> {
  if (needsNode === undefined || satisfiesNode(process.versions.node, needsNode)) return;
  const node = newerNodePackage(thisPlatform);
  if (node !== undefined) return install(NEWER_NODE, node, console);
  const { platform, arch } = thisPlatform;
  throw new HalyardError(
    "runtime_unavailable",
    `${name} needs Node ${needsNode}, but this is Node ${process.versions.node}, and npm has no Node package for ${platform}-${arch}. Run Halyard with a newer Node.`,
  );
}

async function announceWait(name: string, { err }: Console): Promise<void> {
  await err.write(`Waiting for another process that is installing ${name}…\n`);
}

async function replace(
  installation: Installation,
  options: { readonly console: Console; readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { console, force, signal } = options;
  const { env, err } = console;
  const { name, pinned, directory } = installation;
  const fault = force ? "--force was given" : await findFault(installation, { env });
  if (fault === undefined) return; // another process has installed the package in the meantime
  if (fault !== NOT_INSTALLED) await err.write(`Installing ${name} again: ${fault}\n`);
  await err.write(
    `Fetching ${pinned.name} ${pinned.version} from npm into ${abbreviateHome(directory)}\n`,
  );
  await using progress = await showProgress(console);
  const verify = async (staging: string): Promise<void> => {
    const problem = await findFault({ ...installation, directory: staging }, { env });
    if (problem === undefined) return;
    throw new HalyardError(
      "runtime_unavailable",
      `It does not work on this machine: ${sentence(problem)} Correct the cause, and run the command again.`,
    );
  };
  const request = { lock: lockfileDirectory(name), directory, verify };
  await installPackage(request, { env, signal, onProgress: progress.update });
}

/** Adds the package name to an error, and advice to a file system error. */
function asInstallError(error: unknown, title: string): unknown {
  const problem = `Cannot install ${title}`;
  if (error instanceof HalyardError)
    return error.code === "cancelled"
      ? error
      : new HalyardError(error.code, `${problem}. ${error.message}`, { cause: error });
  return error instanceof Error && "syscall" in error ? homeError(problem, error) : error;
}
