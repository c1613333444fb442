import { networkInterfaces } from "node:os";
import { HalyardError } from "../errors/error.ts";

/**
 * Replaces a wildcard address with this machine's first IPv4 address that other machines can reach. Returns undefined
 * if there is none. Returns any other URL unchanged.
 */
export function reachableUrl(url: string): string | undefined {
  const { hostname, port } = new URL(url);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return url;
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const own = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  return own && `http://${own.address}:${port}`;
}

/** Returns the address that other machines can reach. Throws `unsupported` if there is none. */
export function requireReachable(url: string): string {
  const reachable = reachableUrl(url);
  if (reachable !== undefined) return reachable;
  throw new HalyardError(
    "unsupported",
    "This machine has no address that other machines can reach. Connect it to a network, or omit --expose.",
  );
}
