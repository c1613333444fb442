import type { Halyard } from "../core/halyard.ts";
import { Health } from "../schema/http.ts";
import { Connection } from "./connection.ts";
import { readAnswer } from "./read-answer.ts";
import { RemoteHalyard } from "./remote-halyard.ts";
import { findWay, type Target } from "./target.ts";

/** How to call a server. */
export interface ConnectOptions {
  /** What the server wants to see, over TCP. */
  readonly token?: string;
  /** In place of the platform's own. */
  readonly fetch?: typeof fetch;
  /** How long to look for a server that has gone away before giving up: half a minute unless given. */
  readonly reconnectMs?: number;
}

/**
 * A Halyard that runs elsewhere: `http://127.0.0.1:4747`, `unix:/path/to/the.sock`, or the path of a socket. Works
 * in a browser too, where there are no sockets. Rejects if nobody answers there.
 */
export async function connectHalyard(
  target: Target,
  options: ConnectOptions = {},
): Promise<Halyard> {
  const { token, reconnectMs = 30_000 } = options;
  const way = await findWay(target, options.fetch);
  const connection = new Connection(way, { token, reconnectMs });
  readAnswer(Health, await connection.ask("GET", "/v1/health"));
  return new RemoteHalyard(connection, way.toAbsolute);
}
