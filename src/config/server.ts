import type { FactoryFile } from "./files/factory.ts";
import type { ServerFile } from "./files/server.ts";

/** Returns the key in `factory.json`, or undefined if it is blank or missing. */
export function factoryKey(factory: FactoryFile | undefined): string | undefined {
  return factory?.api_key?.trim() || undefined;
}

/** Returns the listen address in `server.json`, or an empty object if it has none. `:port` has no host. */
export function listenAddress(server: ServerFile | undefined): { host?: string; port?: number } {
  const { address } = server ?? {};
  if (address === undefined) return {};
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  return { ...(host !== "" && { host }), port: Number(address.slice(at + 1)) };
}
