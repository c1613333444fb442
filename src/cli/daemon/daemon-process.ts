import { createConfigReader } from "../../config/reader.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { openLog } from "../../daemon/log.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { type DaemonOptions, runDaemon } from "../../daemon/run.ts";
import { clusterIn, openCluster } from "../cluster/open-cluster.ts";
import type { Console } from "../console/console.ts";
import { DaemonHosts } from "../host/daemon-hosts.ts";
import { readVersion } from "../version.ts";
import { acpEndpoint } from "./acp-endpoint.ts";
import { daemonHome } from "./daemon-home.ts";
import { type McpPolicy, mcpEndpoint } from "./mcp-endpoint.ts";

export interface DaemonProcessOptions
  extends Pick<DaemonOptions, "kind" | "idleMs" | "network" | "onReady"> {
  /** The permissions of clients that use `/mcp`. */
  readonly mcp?: McpPolicy;
}

/** Runs the daemon in this process until a signal or the idle timeout stops it. Writes to the log and prints nothing. */
export async function runDaemonProcess(
  console: Console,
  { mcp = {}, ...options }: DaemonProcessOptions,
): Promise<void> {
  const { env } = console;
  const home = daemonHome(env);
  const cluster = clusterIn(env);
  const now = () => new Date();
  const log = openLog(daemonPaths(home).log, { now, env });
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    log(`received ${signal}`);
    stopping.abort();
    setTimeout(() => process.exit(1), MAX_SHUTDOWN_MS).unref(); // the next daemon recovers the sessions
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, stop);
  const config = createConfigReader({ env, home, onWarning: log });
  const openOwn = () =>
    createHalyard({
      home,
      env: { ...env },
      config,
      detached: true,
      upkeep: true,
      onDispose: "detach",
      onStoreProblem: log,
      onHookProblem: log,
    });
  const open = cluster ? () => openCluster(cluster) : openOwn;
  const retention = cluster
    ? undefined // a machine that only shows a cluster must not remove the cluster's sessions
    : async () => (await config.read({ cwd: home })).userSettings?.value?.retention;
  const version = readVersion();
  const hosts = new DaemonHosts(console);
  const endpoints = (halyard: Halyard) => [
    acpEndpoint(halyard, { console, version, log }),
    mcpEndpoint(halyard, { console, version, log, mcp, hosts }),
  ];
  const join = (halyard: Halyard) => hosts.join(halyard);
  const own = { home, env, version, open, join, endpoints, log, now };
  await runDaemon({ ...own, ...(retention && { retention }), signal: stopping.signal, ...options });
}

const MAX_SHUTDOWN_MS = 9_000;
