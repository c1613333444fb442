import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { HalyardError } from "../../../errors/error.ts";
import type { Availability } from "../../../schema/runtime-info.ts";

/** The module of Pi's SDK. */
export type PiSdk = typeof import("@earendil-works/pi-coding-agent");

/** An installed Pi package. */
export interface PiPackage {
  readonly version: string;
  /** The module to import. */
  readonly entry: string;
  /** The script to run with Node. */
  readonly program: string;
}

const PACKAGE = join("node_modules", "@earendil-works", "pi-coding-agent");

const Manifest = z.looseObject({
  version: z.string(),
  main: z.string(),
  bin: z.looseObject({ pi: z.string() }),
  engines: z.looseObject({ node: z.string() }).optional(),
});

/**
 * Returns Pi, or the reason why there is none. Searches `node_modules` beside this file and above, then the directory where
 * Halyard installs runtimes.
 */
async function lookForPi(runtimesDir: string, beside: string): Promise<PiPackage | string> {
  let reason = "Pi is not installed";
  for (const directory of [...ancestors(beside), join(runtimesDir, "pi")]) {
    const root = join(directory, PACKAGE);
    const manifest = await readManifest(root);
    if (manifest === undefined) continue;
    const { version, main, bin, engines } = manifest;
    const { node } = process.versions;
    if (engines === undefined || satisfies(node, engines.node))
      return { version, entry: join(root, main), program: join(root, bin.pi) };
    reason = `Pi ${version} needs Node ${engines.node}, and this is ${node}`;
  }
  return reason;
}

const hint = "run: halyard runtime install pi";
const here = dirname(fileURLToPath(import.meta.url));

/** Checks whether a usable Pi is installed. */
export async function probePi(runtimesDir: string, beside = here): Promise<Availability> {
  const found = await lookForPi(runtimesDir, beside);
  if (typeof found === "string") return { available: false, reason: found, hint };
  return { available: true, version: found.version, program: found.program };
}

/** Finds the installed Pi. Throws `runtime_unavailable` if there is none. */
export async function findPi(runtimesDir: string): Promise<PiPackage> {
  const found = await lookForPi(runtimesDir, here);
  if (typeof found !== "string") return found;
  throw new HalyardError("runtime_unavailable", `${found}; ${hint}`);
}

/** Imports Pi into this process, which takes about 1 s the first time. */
export async function loadPi(runtimesDir: string): Promise<PiSdk> {
  const { entry, version } = await findPi(runtimesDir);
  const sdk: PiSdk = await import(pathToFileURL(entry).href);
  if (sdk.AuthStorage !== undefined && sdk.ModelRegistry?.inMemory !== undefined) return sdk;
  const message = `Pi ${version} can only run as a separate process; ${hint}`;
  throw new HalyardError("runtime_unavailable", message);
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

/** True if the version satisfies a range such as `>=22.19.0`. */
function satisfies(version: string, range: string): boolean {
  const least = /^>=\s*(\d+)(?:\.(\d+))?/.exec(range);
  if (least === null) return true;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = [Number(least[1]), Number(least[2] ?? 0)];
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
