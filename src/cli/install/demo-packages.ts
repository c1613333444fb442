import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { piPackage, scriptedModelPackage } from "../../adapters/versions.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { Terminal } from "../terminal.ts";
import { areBesideUs } from "./beside-us.ts";
import { install, installDirectory } from "./install.ts";

/** Fetches Pi where it is not there yet: it is no dependency of ours, for its size. */
export async function ensurePi(halyard: Halyard, terminal: Terminal): Promise<void> {
  const runtimes = await halyard.runtimes();
  const pi = runtimes.find(({ name }) => name === "pi");
  if (!pi?.availability.available) await install("pi", piPackage, terminal);
}

/** What to import the scripted model's server from, fetched where it is not there yet. */
export async function ensureScriptedModel(terminal: Terminal): Promise<string> {
  const { name } = scriptedModelPackage;
  if (await areBesideUs(name)) return name;
  await install("scripted-model", scriptedModelPackage, terminal);
  const root = join(installDirectory("scripted-model", terminal), "node_modules", name);
  return pathToFileURL(join(root, "dist", "index.js")).href;
}
