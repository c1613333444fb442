import type { NatsConnection } from "@nats-io/transport-node";
import { connectHalyard } from "../client/index.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { clusterSubjects } from "./subjects.ts";
import { createNatsFetch } from "./transport/nats-fetch.ts";

/** Options of `connectCluster`. */
export interface ConnectClusterOptions {
  /** Separates clusters on the same servers. Defaults to `"main"`. */
  readonly cluster?: string | undefined;
  /** How long to retry if no worker responds, in milliseconds. Defaults to 30,000. */
  readonly reconnectMs?: number | undefined;
}

/**
 * Connects to a cluster. Sends requests to one worker, and to another worker if the first one stops responding.
 * Rejects if no worker responds. Disposing the result does not close the NATS connection.
 */
export async function connectCluster(
  connection: NatsConnection,
  { cluster = "main", reconnectMs }: ConnectClusterOptions = {},
): Promise<Halyard> {
  const { gateway } = clusterSubjects(cluster);
  let current: Promise<typeof fetch> | undefined;
  const choose = async (): Promise<typeof fetch> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { data } = await connection.request(gateway, "", { timeout: CHOICE_MS });
        return await createNatsFetch(connection, Buffer.from(data).toString());
      } catch (error) {
        if (attempt === MAX_CHOICES || connection.isClosed()) throw noWorker(error);
      }
    }
  };
  const gatewayFetch: typeof fetch = async (input, init) => {
    current ??= choose();
    const chosen = current;
    try {
      return await (await chosen)(input, init);
    } catch (error) {
      if (current === chosen && !init?.signal?.aborted) current = undefined;
      throw error;
    }
  };
  return connectHalyard("http://localhost", { fetch: gatewayFetch, reconnectMs });
}

/** Connects to the worker that listens on a subject. */
export async function connectNode(connection: NatsConnection, subject: string): Promise<Halyard> {
  const fetch = await createNatsFetch(connection, subject);
  return connectHalyard("http://localhost", { fetch, reconnectMs: NODE_RECONNECT_MS });
}

function noWorker(cause: unknown): HalyardError {
  return new HalyardError(
    "unreachable",
    'No worker of the cluster responds. Run "halyard worker --join ADDRESS" on a machine.',
    { cause },
  );
}

/**
 * The time limit for a worker's response in milliseconds. A worker that is paused or disconnected does not respond in
 * time, and another worker is tried.
 */
const CHOICE_MS = 1_000;
const MAX_CHOICES = 5;
/** How long to reconnect to a worker, in milliseconds. Short, because a restarted worker has a new id. */
const NODE_RECONNECT_MS = 500;
