import { join } from "node:path";
import { type Environment, homeDirectory } from "../../config/paths.ts";
import { clusterIn } from "../cluster/open-cluster.ts";

/**
 * Returns the directory of the daemon's files: the home, or a separate directory if the environment names a cluster.
 * In that case, the daemon runs no sessions; it serves the cluster's page and HTTP API on this machine.
 */
export function daemonHome(env: Environment): string {
  const home = homeDirectory(env);
  const cluster = clusterIn(env);
  return cluster ? join(home, "clusters", cluster.cluster ?? "main", "served") : home;
}
