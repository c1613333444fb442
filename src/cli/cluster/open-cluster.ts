import type { Environment } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";

/** The address of the cluster that the environment names, and the files that a connection needs. */
export interface ClusterAddress {
  readonly servers: string;
  readonly cluster: string | undefined;
  readonly credentialsFile: string | undefined;
  readonly caFile: string | undefined;
}

/** Returns the cluster that commands use, or undefined if they use this machine. */
export function clusterIn(env: Environment): ClusterAddress | undefined {
  const { HALYARD_CLUSTER: servers } = env;
  if (!servers) return undefined;
  return {
    servers,
    cluster: env.HALYARD_CLUSTER_NAME || undefined,
    credentialsFile: env.HALYARD_NATS_CREDENTIALS || undefined,
    caFile: env.HALYARD_NATS_CA || undefined,
  };
}

/** Connects to a cluster. Disposing the returned Halyard instance closes the connection. */
export async function openCluster(address: ClusterAddress): Promise<Halyard> {
  const { connectNats } = await import("../../cluster/connect-nats.ts");
  const { connectCluster } = await import("../../cluster/connect.ts");
  const connection = await connectNats(address);
  try {
    const halyard = await connectCluster(connection, { cluster: address.cluster });
    const dispose = halyard[Symbol.asyncDispose];
    return Object.assign(halyard, {
      async [Symbol.asyncDispose]() {
        await dispose.call(halyard);
        await connection.close();
      },
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}
