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

/** What a platform needs to speak HTTP over a unix socket. */
export interface SocketSupport {
  socketFetch(socketPath: string): typeof fetch;
  toAbsolute(path: string): string;
}

/** Loads the platform's support for unix sockets; undefined in a browser. */
export type LoadSockets = (() => Promise<SocketSupport>) | undefined;

/** Returns the way to a target. */
export async function findWay(
  target: Target,
  given: typeof fetch | undefined,
  loadSockets: LoadSockets,
): Promise<Way> {
  const socketPath = socketOf(target);
  if (socketPath !== undefined) {
    if (!loadSockets)
      throw new HalyardError(
        "unsupported",
        `A browser cannot connect to the socket ${socketPath}. Pass the http:// address of "halyard serve".`,
      );
    const base = new URL("http://localhost");
    const { socketFetch, toAbsolute } = await loadSockets();
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
