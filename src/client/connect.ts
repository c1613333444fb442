import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { HttpConnection } from "./connection.ts";
import { readResponse } from "./read-response.ts";
import { RemoteHalyard } from "./remote-halyard.ts";
import { healthShape } from "./response-shapes.ts";
import { type LoadSockets, resolveEndpoint, type Target } from "./target.ts";

/** Options of `connectHalyard`. */
export interface ConnectOptions {
  /** The server's token. Required over TCP, except in a browser that is signed in. */
  readonly token?: string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How long to retry if the server is unreachable, in milliseconds. Defaults to 30,000. */
  readonly reconnectMs?: number | undefined;
}

/**
 * Connects to a server. `loadSockets` provides unix sockets if the platform supports them. Rejects if the server does not
 * respond, or if it requires a token and `options` contains none or a wrong one.
 */
export async function connect(
  target: Target,
  options: ConnectOptions,
  loadSockets: LoadSockets,
): Promise<Halyard> {
  const { token, reconnectMs = 30_000 } = options;
  const endpoint = await resolveEndpoint(target, options.fetch, loadSockets);
  const connection = new HttpConnection(endpoint, { token, reconnectMs });
  const { pid } = readResponse(healthShape, await connection.request("GET", "/v1/health"));
  if (pid === undefined)
    throw new HalyardError(
      "unauthorized",
      `The server at ${endpoint.name} requires a token. Pass it as the option "token". "halyard serve" prints the path of the token file.`,
    );
  return new RemoteHalyard(connection, endpoint.toAbsolute);
}
