import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AcpSdk } from "../../acp/sdk.ts";
import { acpSdkPackage } from "../../adapters/versions.ts";
import type { Console } from "../console/console.ts";
import { canImport } from "./can-import.ts";
import { install, installDirectory } from "./install.ts";

type Entries = readonly [v1: string, v2: string];

const { name } = acpSdkPackage;
const packageEntries: Entries = [name, `${name}/experimental/v2`];

/** Loads the ACP SDK. Installs it into the home if it is missing, because it is not a dependency of this package. */
export async function ensureAcpSdk(console: Console): Promise<AcpSdk> {
  return load(
    ...((await canImport(...packageEntries)) ? packageEntries : await installEntries(console)),
  );
}

async function installEntries(console: Console): Promise<Entries> {
  await install("acp-sdk", acpSdkPackage, console);
  const dist = join(installDirectory("acp-sdk", console), "node_modules", name, "dist");
  const urlOf = (version: string) => pathToFileURL(join(dist, version, "stable", "acp.js")).href;
  return [urlOf("v1"), urlOf("v2")];
}

async function load(v1: string, v2: string): Promise<AcpSdk> {
  const [first, second]: [AcpSdk["first"], AcpSdk["second"]] = await Promise.all([
    import(v1),
    import(v2),
  ]);
  return { first, second };
}
