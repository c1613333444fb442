import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AcpSdk } from "../../acp/sdk.ts";
import { acpSdkPackage } from "../../adapters/versions.ts";
import type { Terminal } from "../terminal.ts";
import { areBesideUs } from "./beside-us.ts";
import { install, installDirectory } from "./install.ts";

type Entries = readonly [v1: string, v2: string];

const { name } = acpSdkPackage;
const besideUs: Entries = [name, `${name}/experimental/v2`];

/** The SDK for ACP, fetched where it is not there yet: few need it, so it is no dependency of ours. */
export async function ensureAcpSdk(terminal: Terminal): Promise<AcpSdk> {
  return load(...((await areBesideUs(...besideUs)) ? besideUs : await inHome(terminal)));
}

async function inHome(terminal: Terminal): Promise<Entries> {
  await install("acp-sdk", acpSdkPackage, terminal);
  const dist = join(installDirectory("acp-sdk", terminal), "node_modules", name, "dist");
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
