import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { sentence } from "../../../errors/sentence.ts";
import { thisPlatform } from "../../../programs/platform.ts";
import { firstExecutable } from "../../../programs/program.ts";
import type { Availability } from "../../../schema/runtimes/runtime-info.ts";
import { sdkPrograms } from "../find.ts";
import type { ClaudeSdk } from "./api.ts";

const PACKAGE = join("node_modules", "@anthropic-ai", "claude-agent-sdk");
const here = dirname(fileURLToPath(import.meta.url));
const hint = 'run "halyard runtime install ccsdk"';
const missing = "the Claude Agent SDK is not installed";
const INSTALL = 'Run "halyard runtime install ccsdk".';

/** Checks whether the Agent SDK is installed. */
export async function probeSdk(runtimesDir: string, beside = here): Promise<Availability> {
  const found = await findSdk(runtimesDir, beside);
  if (found === undefined) return { available: false, reason: missing, hint };
  return { available: true, version: found.version };
}

/** Returns the path of the Agent SDK's program. Rejects with `runtime_unavailable` if the SDK or the program is missing. */
export async function findSdkProgram(runtimesDir: string): Promise<string> {
  const found = await findSdk(runtimesDir, here);
  const modules = found && dirname(dirname(dirname(found.entry)));
  const file = modules && firstExecutable(modules, sdkPrograms(thisPlatform));
  if (file) return file;
  throw new HalyardError(
    "runtime_unavailable",
    `The Claude Agent SDK or its program is not installed. ${INSTALL}`,
  );
}

/** Imports the Agent SDK. Rejects with `runtime_unavailable` if the SDK is missing or broken. */
export async function loadSdk(runtimesDir: string): Promise<ClaudeSdk> {
  const found = await findSdk(runtimesDir, here);
  if (found === undefined)
    throw new HalyardError(
      "runtime_unavailable",
      `The Claude Agent SDK is not installed. ${INSTALL}`,
    );
  const sdk = await importSdk(found.entry);
  if (typeof sdk.query === "function") return sdk;
  const reason = `Version ${found.version} of the Claude Agent SDK has no function "query".`;
  throw new HalyardError("runtime_unavailable", `${reason} ${INSTALL}`);
}

async function importSdk(entry: string): Promise<ClaudeSdk> {
  try {
    return await import(pathToFileURL(entry).href);
  } catch (cause) {
    const message = `The Claude Agent SDK at ${entry} cannot be loaded: ${sentence(reasonOf(cause))} ${INSTALL}`;
    throw new HalyardError("runtime_unavailable", message, { cause });
  }
}

/** Searches `node_modules` beside and above this file, then the directory where Halyard installs runtimes. */
async function findSdk(
  runtimesDir: string,
  beside: string,
): Promise<{ entry: string; version: string } | undefined> {
  for (const directory of [...ancestors(beside), join(runtimesDir, "ccsdk")]) {
    const root = join(directory, PACKAGE);
    const text = await readFile(join(root, "package.json"), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const manifest = readManifest(text);
    if (manifest === undefined) continue;
    return { entry: join(root, manifest.main), version: manifest.version };
  }
  return undefined;
}

/** Parses a manifest. Returns undefined if a broken installation has no usable manifest. */
function readManifest(text: string): z.infer<typeof Manifest> | undefined {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const Manifest = z.looseObject({ main: z.string(), version: z.string() });

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
