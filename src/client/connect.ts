import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import { Connection } from "./connection.ts";
import { readAnswer } from "./read-answer.ts";
import { RemoteHalyard } from "./remote-halyard.ts";
import { healthShape } from "./shapes.ts";
import { findWay, type LoadSockets, type Target } from "./target.ts";

/** Options of `connectHalyard`. */
export interface ConnectOptions {
  /** The server's token; needed over TCP. */
  readonly token?: string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How long to look for a server that went away, in milliseconds. Defaults to 30,000. */
  readonly reconnectMs?: number | undefined;
}

/** Connects to a server over the ways that the platform has. */
export async function connect(
  target: Target,
  options: ConnectOptions,
  loadSockets: LoadSockets,
): Promise<Halyard> {
  const { token, reconnectMs = 30_000 } = options;
  const way = await findWay(target, options.fetch, loadSockets);
  const connection = new Connection(way, { token, reconnectMs });
  const { pid } = readAnswer(healthShape, await connection.ask("GET", "/v1/health"));
  if (pid === undefined)
    throw new HalyardError(
      "unauthorized",
      `The server at ${way.name} needs a token. Pass it as the option "token"; "halyard serve" prints where it is.`,
    );
  return new RemoteHalyard(connection, way.toAbsolute);
}
