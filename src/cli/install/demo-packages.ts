import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { piPackage, scriptedModelPackage } from "../../adapters/versions.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import type { Console } from "../console/console.ts";
import { canImport } from "./can-import.ts";
import { install, installDirectory } from "./install.ts";

/** Installs Pi if it is missing. It is too large to be a dependency of this package. */
export async function ensurePi(halyard: Halyard, console: Console): Promise<void> {
  const runtimes = await halyard.runtimes();
  const pi = runtimes.find(({ name }) => name === "pi");
  if (!pi?.availability.available) await install("pi", piPackage, console);
}

/** Returns the module from which to import the scripted model. Installs its package if it is missing. */
export async function ensureScriptedModel(console: Console): Promise<string> {
  const { name } = scriptedModelPackage;
  if (await canImport(name)) return name;
  await install("scripted-model", scriptedModelPackage, console);
  const root = join(installDirectory("scripted-model", console), "node_modules", name);
  return pathToFileURL(join(root, "dist", "index.js")).href;
}
