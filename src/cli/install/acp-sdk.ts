import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AcpNetworkSdk, AcpSdk } from "../../acp/sdk.ts";
import { acpSdkPackage } from "../../adapters/versions.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Console } from "../console/console.ts";
import { canImport } from "./can-import.ts";
import { install, installDirectory, isInstalled } from "./install.ts";

type Entries = readonly [v1: string, v2: string, server: string];

const { name } = acpSdkPackage;
const packageEntries: Entries = [
  `${name}/unstable`,
  `${name}/experimental/v2/unstable`,
  `${name}/experimental/server`,
];

/** Loads the ACP SDK, which is not a dependency of this package. Installs the SDK into the home if it is missing. */
export async function ensureAcpSdk(console: Console): Promise<AcpSdk> {
  if (await canImport(...packageEntries.slice(0, 2))) return load(packageEntries);
  await install("acp-sdk", acpSdkPackage, console);
  return load(installedEntries(console));
}

/**
 * Loads the ACP SDK with its network transports. Rejects if the SDK is not installed, because a server does not
 * install packages.
 */
export async function findAcpSdk(console: Console): Promise<AcpNetworkSdk> {
  const isPresent = await canImport(...packageEntries);
  const entries = isPresent ? packageEntries : installedEntries(console);
  if (!isPresent && !(await isInstalled("acp-sdk", acpSdkPackage, console)))
    throw new HalyardError(
      "runtime_unavailable",
      'The ACP package is not installed. Run "halyard acp --install" on the daemon\'s machine.',
    );
  const server: AcpNetworkSdk["server"] = await import(entries[2]);
  return { ...(await load(entries)), server };
}

function installedEntries(console: Console): Entries {
  const dist = join(installDirectory("acp-sdk", console), "node_modules", name, "dist");
  const urlOf = (...path: string[]) => pathToFileURL(join(dist, ...path)).href;
  return [
    urlOf("v1", "unstable", "acp.js"),
    urlOf("v2", "unstable", "acp.js"),
    urlOf("transports", "server.js"),
  ];
}

async function load([v1, v2]: Entries): Promise<AcpSdk> {
  const [first, second]: [AcpSdk["first"], AcpSdk["second"]] = await Promise.all([
    import(v1),
    import(v2),
  ]);
  return { first, second };
}
