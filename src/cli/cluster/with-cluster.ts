import type { NatsConnection } from "@nats-io/transport-node";
import { connectNats, isConnectionError } from "../../cluster/connect-nats.ts";
import type { ClusterNode } from "../../cluster/node.ts";
import { NodeRegistry } from "../../cluster/node-registry.ts";
import { type ClusterSubjects, clusterSubjects } from "../../cluster/subjects.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import type { Console } from "../console/console.ts";
import { clusterIn } from "./open-cluster.ts";

/** A connection to the cluster that the environment names. */
export interface OpenCluster {
  /** The addresses of the NATS servers, as in `--cluster`. */
  readonly address: string;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly connection: NatsConnection;
  readonly registry: NodeRegistry;
  readonly subjects: ClusterSubjects;
}

/**
 * Runs `work` with a connection to the cluster that the environment names. Rejects if the environment names no cluster,
 * or if the cluster does not respond.
 */
export async function withCluster<T>(
  { env }: Pick<Console, "env">,
  work: (cluster: OpenCluster) => Promise<T>,
): Promise<T> {
  const address = clusterIn(env);
  if (address === undefined)
    throw new HalyardError(
      "invalid_input",
      'No cluster is selected. Pass its address, as in "halyard --cluster nats://HOST cluster nodes", or set HALYARD_CLUSTER.',
    );
  const connection = await connectNats(address);
  try {
    const { cluster = "main" } = address;
    const subjects = clusterSubjects(cluster);
    const registry = await NodeRegistry.connect(connection, subjects);
    return await work({ address: address.servers, cluster, connection, subjects, registry });
  } catch (error) {
    if (error instanceof HalyardError || !isConnectionError(error, connection)) throw error;
    throw new HalyardError(
      "unreachable",
      `The cluster does not respond: ${sentence(reasonOf(error))} Check that its NATS servers are running.`,
      {
        cause: error,
      },
    );
  } finally {
    await connection.close();
  }
}

/** Returns the workers of a machine. Rejects if no worker of the machine has a valid lease. */
export async function nodesOf(
  registry: NodeRegistry,
  machine: string,
): Promise<readonly ClusterNode[]> {
  const known = await registry.list({ fresh: true });
  const found = known.filter((node) => node.machine === machine);
  if (found.length > 0) return found;
  const names = known.map((node) => node.machine).join(", ") || "none";
  throw new HalyardError(
    "no_machine",
    `The machine "${machine}" runs no worker of this cluster. Machines: ${names}. Check the name, or run "halyard worker --join ADDRESS" on that machine.`,
  );
}
