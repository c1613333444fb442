import type { FactoryFile } from "./files/factory.ts";
import type { ServerFile } from "./files/server.ts";

/** The key of `factory.json`, if it is one. */
export function factoryKey(factory: FactoryFile | undefined): string | undefined {
  return factory?.api_key?.trim() || undefined;
}

/** Where to listen, as far as `server.json` says it. */
export function listenAddress(server: ServerFile | undefined): { host?: string; port?: number } {
  const { address } = server ?? {};
  if (address === undefined) return {};
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  return { ...(host !== "" && { host }), port: Number(address.slice(at + 1)) };
}
