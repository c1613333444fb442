import { HalyardError } from "../errors/error.ts";

/** The address of a server: `http://…`, `https://…`, `unix:/path/to/the.sock`, or the path of a socket. */
export type Target = string | URL | { readonly socketPath: string };

/** The address and the `fetch` function of a server. */
export interface Endpoint {
  /** The name of the server in messages to the user. */
  readonly name: string;
  readonly base: URL;
  readonly fetch: typeof fetch;
  /** Makes a path absolute if client and server share a file system; otherwise returns it unchanged. */
  readonly toAbsolute: (path: string) => string;
}

/** HTTP over unix sockets, as provided by the platform. */
export interface SocketSupport {
  socketFetch(socketPath: string): typeof fetch;
  toAbsolute(path: string): string;
}

/** Loads the platform's support for unix sockets. Undefined in a browser. */
export type LoadSockets = (() => Promise<SocketSupport>) | undefined;

/**
 * Resolves a target to its address and `fetch` function. Rejects if the target is malformed, or if it is a socket and
 * the platform has no sockets.
 */
export async function resolveEndpoint(
  target: Target,
  given: typeof fetch | undefined,
  loadSockets: LoadSockets,
): Promise<Endpoint> {
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
    throw new HalyardError(
      "invalid_input",
      `The address ${base} is invalid. Use http://…, https://… or unix:….`,
    );
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
  throw new HalyardError(
    "invalid_input",
    `The address "${text}" is invalid. Use http://…, https://… or unix:….`,
  );
}
