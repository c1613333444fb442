import { HalyardError } from "../core/error.ts";

/** Where a Halyard is: `http://…`, `unix:/path/to/the.sock`, or the socket's path by itself. */
export type Target = string | URL | { readonly socketPath: string };

/** How to ask it. */
export interface Way {
  /** For messages to people. */
  readonly name: string;
  readonly base: URL;
  readonly fetch: typeof fetch;
  /** A path as both sides understand it: on the same machine, what is relative here is made whole. */
  readonly toAbsolute: (path: string) => string;
}

/** The way to a target. A unix socket needs Node, which is why its part is loaded only then. */
export async function findWay(target: Target, given: typeof fetch | undefined): Promise<Way> {
  const socketPath = socketOf(target);
  if (socketPath !== undefined) {
    const base = new URL("http://localhost");
    const { socketFetch, toAbsolute } = await import("./socket-fetch.ts");
    return { name: socketPath, base, fetch: given ?? socketFetch(socketPath), toAbsolute };
  }
  const base = new URL(String(target));
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    throw new HalyardError("invalid_input", `${base} is neither http://… nor unix:…`);
  }
  const toAbsolute = (path: string) => path;
  return { name: base.origin, base, fetch: given ?? ((...args) => fetch(...args)), toAbsolute };
}

function socketOf(target: Target): string | undefined {
  if (typeof target === "object" && "socketPath" in target) return target.socketPath;
  const text = String(target);
  if (text.startsWith("/")) return text;
  if (text.startsWith("unix:")) return text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
  if (URL.canParse(text)) return undefined;
  throw new HalyardError("invalid_input", `${text} is neither http://… nor unix:…`);
}
