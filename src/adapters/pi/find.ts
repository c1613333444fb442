import { readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import type { Environment } from "../../programs/environment.ts";
import { satisfiesNode } from "../../programs/node-range.ts";
import {
  executable,
  isOlder,
  locateProgram,
  onPath,
  packageAround,
} from "../../programs/program.ts";
import { programVersion } from "../../programs/program-version.ts";
import type { Availability } from "../../schema/runtimes/runtime-info.ts";
import { nodeFor } from "../newer-node.ts";
import { customProgram } from "./custom-program.ts";

/** A usable Pi installation. */
export interface FoundPi {
  /** The version, if known. */
  readonly version?: string;
  /** The path of Pi's program. */
  readonly program: string;
  /** The Node executable that runs the program. Undefined if the program is a native executable. */
  readonly node?: string;
  /** The module to import. Undefined if this Pi can run only as a separate process. */
  readonly entry?: string;
}

/** The locations to search for Pi. */
export interface PiPaths {
  readonly env: Environment;
  /** The directory that `halyard runtime install` writes to. */
  readonly runtimesDir: string;
  /** The only accepted program: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** Finds Pi. Throws `runtime_unavailable` if no usable Pi is installed. */
export async function findPi(paths: PiPaths): Promise<FoundPi> {
  const found = await lookForPi(paths, here);
  if (typeof found !== "string") return found;
  const advice =
    paths.bin === undefined
      ? 'Run "halyard runtime install pi".'
      : `Correct the configured program ${paths.bin}, or remove it from the configuration and run "halyard runtime install pi".`;
  throw new HalyardError("runtime_unavailable", `${found}. ${advice}`);
}

/** Checks whether a usable Pi is installed. */
export async function probePi(paths: PiPaths, beside = here): Promise<Availability> {
  try {
    const found = await lookForPi(paths, beside);
    if (typeof found === "string") return { available: false, reason: found, hint };
    const { version, program, node } = found;
    const other = node === undefined || node === process.execPath ? {} : { node };
    return { available: true, program, ...other, ...(version !== undefined && { version }) };
  } catch (error) {
    return { available: false, reason: reasonOf(error), hint };
  }
}

/**
 * Returns `rpc` if the user configured a program, or if Pi can run only as a separate process. Otherwise, returns
 * `sdk`, even if Pi is not installed.
 */
export async function piMode(paths: PiPaths, beside = here): Promise<"sdk" | "rpc"> {
  if (paths.bin !== undefined) return "rpc";
  const found = await lookForPi(paths, beside).catch(reasonOf);
  return typeof found === "string" || found.entry !== undefined ? "sdk" : "rpc";
}

const hint = 'run "halyard runtime install pi"';
const here = dirname(fileURLToPath(import.meta.url));

/**
 * Returns Pi, or the reason why no Pi is usable. Uses the program that the user configured. Otherwise, uses the first
 * usable Pi from these locations: `node_modules` beside and above this file, the user's PATH, Halyard's installation.
 */
async function lookForPi(paths: PiPaths, beside: string): Promise<FoundPi | string> {
  const { env, runtimesDir, bin } = paths;
  if (bin !== undefined) return configuredPi(bin, paths);
  let reason = "Pi is not installed";
  const own = onPath("pi", env);
  const ownPackage = own === undefined ? {} : await userPackage(own);
  const roots: { root?: string; node?: string }[] = [
    ...ancestors(beside).map((directory) => ({ root: join(directory, PACKAGE) })),
    ownPackage,
    { root: join(runtimesDir, "pi", PACKAGE) },
  ];
  for (const { root, node } of roots) {
    const found = root === undefined ? root : await readPackage(root, { runtimesDir, node });
    if (typeof found === "string") reason = found;
    else if (found !== undefined) return found;
  }
  if (own === undefined || ownPackage.root !== undefined) return reason;
  // A program of unknown origin, such as a compiled Pi, is identified by the version that it prints.
  return { program: own, version: await programVersion(own, { env }) };
}

async function configuredPi(bin: string, { env, runtimesDir }: PiPaths): Promise<FoundPi | string> {
  const { file } = await locateProgram(customProgram(bin, env));
  if (!isAbsolute(file)) return { program: file }; // the program is not on this machine
  const { root, node } = await userPackage(file);
  const found = root === undefined ? root : await readPackage(root, { runtimesDir, node });
  return found ?? { program: file };
}

const NAMES = ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"] as const;
const PACKAGE = join("node_modules", ...NAMES[0].split("/"));

/** Returns the package that contains a program, and the Node in the program's directory, if they exist. */
async function userPackage(file: string): Promise<{ root?: string; node?: string }> {
  const root = packageAround(await realpath(file), NAMES);
  const node = executable(join(dirname(file), "node"));
  return { ...(root !== undefined && { root }), ...(node !== undefined && { node }) };
}

const Manifest = z.looseObject({
  version: z.string(),
  main: z.string(),
  bin: z.looseObject({ pi: z.string() }),
  engines: z.looseObject({ node: z.string() }).optional(),
});

/** Returns a package's Pi, the reason why this Pi cannot run, or undefined if there is no package. */
async function readPackage(
  root: string,
  { runtimesDir, node }: { readonly runtimesDir: string; readonly node?: string | undefined },
): Promise<FoundPi | string | undefined> {
  const manifest = await readManifest(root);
  if (manifest === undefined) return undefined;
  const { version, main, bin, engines } = manifest;
  if (isOlder(version, OLDEST))
    return `Pi ${version} is too old: the oldest supported version is ${OLDEST}`;
  const program = join(root, bin.pi);
  const chosen = nodeFor(engines?.node, runtimesDir) ?? (await ifSatisfies(node, engines?.node));
  if (chosen === undefined)
    return `Pi ${version} needs Node ${engines?.node}, but this is Node ${process.versions.node}`;
  const isEmbeddable = chosen === process.execPath && isOlder(version, FIRST_PROCESS_ONLY);
  return { version, program, node: chosen, ...(isEmbeddable && { entry: join(root, main) }) };
}

const OLDEST = "0.73";
/** The first release that certainly lacks the SDK that Halyard uses. `loadPi` checks earlier releases. */
const FIRST_PROCESS_ONLY = "0.80.10";

async function ifSatisfies(node: string | undefined, range = ""): Promise<string | undefined> {
  if (node === undefined) return undefined;
  const version = await programVersion(node, { env: {} }).catch(() => undefined);
  return version !== undefined && satisfiesNode(version, range) ? node : undefined;
}

async function readManifest(root: string): Promise<z.infer<typeof Manifest> | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  } catch {
    return undefined;
  }
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
