import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { Availability } from "../../schema/runtime-info.ts";

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

/** Pi, or why there is none. It is an optional peer: looked for beside us, then where Halyard installs runtimes. */
async function lookForPi(runtimesDir: string, besides: string): Promise<PiPackage | string> {
  let reason = "Pi is not installed";
  for (const place of [...ancestors(besides), join(runtimesDir, "pi")]) {
    const root = join(place, PACKAGE);
    const manifest = await readManifest(root);
    if (manifest === undefined) continue;
    const { version, main, bin, engines } = manifest;
    const { node } = process.versions;
    if (engines === undefined || suits(node, engines.node))
      return { version, entry: join(root, main), program: join(root, bin.pi) };
    reason = `Pi ${version} needs Node ${engines.node}, and this is ${node}`;
  }
  return reason;
}

const hint = "run: halyard runtime install pi";
const here = dirname(fileURLToPath(import.meta.url));

export async function probePi(runtimesDir: string, besides = here): Promise<Availability> {
  const found = await lookForPi(runtimesDir, besides);
  if (typeof found === "string") return { available: false, reason: found, hint };
  return { available: true, version: found.version, program: found.program };
}

export async function findPi(runtimesDir: string): Promise<PiPackage> {
  const found = await lookForPi(runtimesDir, here);
  if (typeof found !== "string") return found;
  throw new HalyardError("runtime_unavailable", `${found}; ${hint}`);
}

/** Loads Pi into this process: about a second the first time, nothing after that. */
export async function loadPi(runtimesDir: string): Promise<PiSdk> {
  const { entry, version } = await findPi(runtimesDir);
  const sdk: PiSdk = await import(pathToFileURL(entry).href);
  if (sdk.AuthStorage !== undefined && sdk.ModelRegistry?.inMemory !== undefined) return sdk;
  const message = `Pi ${version} can only be run as a process, not in this one; ${hint}`;
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

/** Pi writes its needs as `>=22.19.0`. */
function suits(version: string, range: string): boolean {
  const least = /^>=\s*(\d+)(?:\.(\d+))?/.exec(range);
  if (least === null) return true;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = [Number(least[1]), Number(least[2] ?? 0)];
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
