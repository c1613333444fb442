import { homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { findDaemon } from "../daemon/find.ts";
import { clusterIn, openCluster } from "./cluster/open-cluster.ts";
import type { Console } from "./console/console.ts";
import { type HostOptions, withHosts } from "./host/open-hosts.ts";

/**
 * Connects to the cluster that the environment names, or to this machine's daemon if one is running. Otherwise opens a
 * Halyard instance in this process. Never starts a daemon on this machine. Includes the sessions of other machines if
 * `hosts` requests them.
 */
export async function openDaemonOrLocal(
  console: Console,
  hosts: HostOptions = {},
): Promise<Halyard> {
  const cluster = clusterIn(console.env);
  if (cluster) return openCluster(cluster);
  return withHosts(await openOwn(console), console, hosts);
}

async function openOwn(console: Console): Promise<Halyard> {
  const daemon = await findDaemon(homeDirectory(console.env));
  if (daemon) {
    const { connectHalyard } = await import("../client/index.ts");
    return connectHalyard(daemon);
  }
  const { openHalyard } = await import("./open-halyard.ts");
  return openHalyard(console);
}
