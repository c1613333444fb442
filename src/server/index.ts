import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import { type App, createApp } from "./app.ts";
import { type ListenAddress, type Listener, listen } from "./listen.ts";
import { Streams } from "./streams.ts";

export type { ListenAddress, Listener } from "./listen.ts";

/** How a Halyard is served. */
export interface ServerOptions {
  /** What requests over TCP have to show; without it, only a unix socket can be listened on. */
  readonly token?: string | undefined;
  /** Told by `/v1/health`. */
  readonly version?: string | undefined;
  /** Names the server may be called by, beside those of the loopback. */
  readonly hosts?: readonly string[] | undefined;
  /** Web pages that may call it, such as `https://example.com`; none, unless given. */
  readonly origins?: readonly string[] | undefined;
  /** The path that the API is mounted at in another server, such as `/halyard`. Defaults to none. */
  readonly basePath?: string | undefined;
  /** Called with unexpected errors; responses do not contain them. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** How long a client may take to send the head of a request: ten seconds unless given. */
  readonly headersTimeoutMs?: number | undefined;
  /** How often a quiet stream of events says that it is still there: every fifteen seconds unless given. */
  readonly heartbeatMs?: number | undefined;
}

/** A Halyard for others to call over HTTP. */
export interface HalyardServer {
  /** For whoever has a server of their own: takes a request, gives the response, and wants the token. */
  readonly app: App;
  /** How many streams of events are being read. */
  readonly readers: number;
  listen(address: ListenAddress): Promise<Listener>;
}

/** Serves a Halyard over HTTP. It stays the caller's: closing the server ends no session. */
export function createServer(halyard: Halyard, options: ServerOptions = {}): HalyardServer {
  const { token, version, hosts = [], origins = [], onFault = () => {} } = options;
  const basePath = toBasePath(options.basePath);
  const { headersTimeoutMs = 10_000, heartbeatMs } = options;
  const streams = new Streams({ heartbeatMs, onFault });
  const app = createApp(
    { halyard, streams, version },
    { token, hosts, origins, onFault, basePath },
  );
  return {
    app,
    get readers() {
      return streams.size;
    },
    async listen(address) {
      if (!("socketPath" in address) && !token) {
        throw new HalyardError("invalid_input", "a port is not opened without a token");
      }
      return listen(app, address, { headersTimeoutMs, streams });
    },
  };
}

/** Starts with a slash and ends without one; empty for the root. */
function toBasePath(path = ""): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed === "" ? "" : `/${trimmed}`;
}
