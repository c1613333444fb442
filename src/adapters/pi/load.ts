import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { Availability } from "../../schema/runtime.ts";

export type PiSdk = typeof import("@earendil-works/pi-coding-agent");

/** Pi as it is installed. */
export interface PiPackage {
  readonly version: string;
  /** What to import. */
  readonly entry: string;
  /** What to run with Node. */
  readonly program: string;
}

const PACKAGE = join("node_modules", "@earendil-works", "pi-coding-agent");

const Manifest = z.looseObject({
  version: z.string(),
  main: z.string(),
  bin: z.looseObject({ pi: z.string() }),
  engines: z.looseObject({ node: z.string() }).optional(),
});

/** Pi is an optional peer: it is looked for beside us, and where `halyard runtime install pi` puts it. */
export async function findPi(runtimesDir: string): Promise<PiPackage> {
  const places = [...ancestors(dirname(fileURLToPath(import.meta.url))), join(runtimesDir, "pi")];
  for (const place of places) {
    const root = join(place, PACKAGE);
    const manifest = await readManifest(root);
    if (manifest === undefined) continue;
    const { version, main, bin, engines } = manifest;
    const needed = engines?.node;
    if (needed !== undefined && !suits(process.versions.node, needed))
      throw unavailable(`Pi ${version} needs Node ${needed} and this is ${process.versions.node}`);
    return { version, entry: join(root, main), program: join(root, bin.pi) };
  }
  throw unavailable("Pi is not installed");
}

export const installHint = "run: halyard runtime install pi";

export async function probePi(runtimesDir: string): Promise<Availability> {
  try {
    const { version } = await findPi(runtimesDir);
    return { available: true, version };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { available: false, reason, hint: installHint };
  }
}

/** Loads Pi into this process: about a second the first time, nothing after that. */
export async function loadPi(runtimesDir: string): Promise<PiSdk> {
  const { entry, version } = await findPi(runtimesDir);
  const sdk: PiSdk = await import(pathToFileURL(entry).href);
  if (sdk.AuthStorage === undefined || sdk.ModelRegistry?.inMemory === undefined)
    throw unavailable(`Pi ${version} can only be run as a process, not in this one`);
  return sdk;
}

function unavailable(reason: string): HalyardError {
  return new HalyardError("runtime_unavailable", `${reason}; ${installHint}`);
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

/** Pi writes its needs as `>=22.19.0`. */
function suits(version: string, range: string): boolean {
  const least = /^>=\s*(\d+)(?:\.(\d+))?/.exec(range);
  if (least === null) return true;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = [Number(least[1]), Number(least[2] ?? 0)];
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
