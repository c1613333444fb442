import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { HalyardError } from "../../errors/error.ts";

/** The parts of the official NATS client that the store uses. */
export interface NatsClient {
  readonly connection: NatsConnection;
  readonly publisher: JetStreamClient;
  readonly manager: JetStreamManager;
  newHeaders(): MsgHdrs;
}

/**
 * Creates the client for a connection. Loads the official NATS packages, which are optional peer dependencies. Rejects
 * with `unsupported` if they are not installed.
 */
export async function createNatsClient(connection: NatsConnection): Promise<NatsClient> {
  const { headers } = await loadTransport();
  const { jetstream, jetstreamManager } = await loadJetStream();
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return { connection, publisher: jetstream(connection), manager, newHeaders: () => headers() };
}

/** Loads the transport for NATS on Node.js. */
export function loadTransport(): Promise<typeof import("@nats-io/transport-node")> {
  return import("@nats-io/transport-node").catch(missing);
}

/** Loads the client for streams. */
function loadJetStream(): Promise<typeof import("@nats-io/jetstream")> {
  return import("@nats-io/jetstream").catch(missing);
}

function missing(cause: unknown): never {
  throw new HalyardError(
    "unsupported",
    'A cluster needs the NATS client, which is not installed. Run "npm install @nats-io/transport-node @nats-io/jetstream", with -g if Halyard is installed globally.',
    { cause },
  );
}
