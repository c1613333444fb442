import { rm } from "node:fs/promises";
import type { Environment } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import type { Retention } from "../schema/session/retention.ts";
import {
  createServer,
  type ListenAddress,
  type ListeningServer,
  type ServerEndpoint,
} from "../server/index.ts";
import { requireReachable } from "../server/reachable-url.ts";
import { prepareHome } from "./home.ts";
import { untilIdle } from "./idle.ts";
import { acquireLock } from "./lock.ts";
import type { Log } from "./log.ts";
import { browserFile, PagePort } from "./page-port.ts";
import { daemonPaths } from "./paths.ts";
import { reattach } from "./reattach.ts";
import type { DaemonRecord } from "./record.ts";
import { startRetention } from "./retention.ts";
import { SharePort } from "./share-port.ts";
import { prepareSocketPath } from "./socket-path.ts";
import { removeStaleSockets } from "./stale-sockets.ts";

/** Options of `runDaemon`. */
export interface DaemonOptions {
  readonly home: string;
  readonly env: Environment;
  readonly version: string;
  readonly kind: DaemonRecord["kind"];
  /** Opens the sessions of the home. Called after the daemon has acquired the lock. */
  readonly open: () => Promise<Halyard>;
  /** An additional network address. Its clients must send the token. */
  readonly network?: Extract<ListenAddress, { port: number }> & { readonly token: string };
  /** Reads the retention rule before each removal. If omitted, no session is removed. */
  readonly retention?: () => Promise<Retention | undefined>;
  /** Joins the sessions of other machines for the page. Called for each request of the page. Defaults to none. */
  readonly join?: (halyard: Halyard) => Promise<Halyard>;
  /** Creates endpoints for other protocols. Called when the sessions are open. */
  readonly endpoints?: (halyard: Halyard) => readonly DaemonEndpoint[];
  /** How long the daemon runs without live sessions and connected clients before it exits, in milliseconds. 0 means no limit. */
  readonly idleMs: number;
  /** Stops the daemon. Sessions whose runtime does not run in the daemon's process continue. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** Called when the daemon accepts requests. */
  readonly onReady?: (record: DaemonRecord) => void;
}

/** An endpoint that the daemon closes when it stops. */
export interface DaemonEndpoint extends ServerEndpoint {
  /** The number of connected clients. An idle daemon does not exit while clients are connected. */
  readonly connections: number;
  close(): Promise<void>;
}

/**
 * Runs a home's daemon until the signal is aborted or the daemon has been idle for `idleMs`. Rejects if another daemon
 * is running.
 */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { home, version, kind, log, now } = options;
  await prepareHome(home);
  const startedAt = now().toISOString();
  const record: DaemonRecord = { identity: ownIdentity(), version, startedAt, kind };
  const lock = await acquireLock(daemonPaths(home).locks, record);
  try {
    log(`halyard ${version} started with pid ${record.identity.pid}`);
    await removeStaleSockets(home);
    await using halyard = await options.open();
    const { retention = async () => undefined } = options;
    await using _retention = startRetention(halyard, { retention, log });
    const attaching = await reattach(halyard, log);
    const onListening = (addresses: Addresses) => lock.update({ ...record, ...addresses });
    await serve(halyard, { ...options, onListening }, async (addresses, isWatched) => {
      options.onReady?.({ ...record, ...addresses });
      log(`listening on ${[addresses.socketPath, addresses.url].filter(Boolean).join(" and ")}`);
      await untilIdle(halyard, { ...options, isWatched });
      log(options.signal.aborted ? "stopping on request" : "stopping because no session is live");
    });
    await attaching.done;
  } finally {
    await lock.release();
  }
  log("stopped; live sessions keep running");
}

type Addresses = Required<Pick<DaemonRecord, "socketPath">> & Pick<DaemonRecord, "url">;

interface ServeOptions extends DaemonOptions {
  /** Called when the daemon listens, and again when the port of the page is open. */
  readonly onListening: (addresses: Addresses) => Promise<void>;
}

/**
 * Accepts requests until `during` settles. `isWatched` returns true while a client reads events or is connected to an
 * endpoint, or while the port for shared sessions is open.
 */
async function serve(
  halyard: Halyard,
  { home, env, version, network, log, now, onListening, ...options }: ServeOptions,
  during: (addresses: Addresses, isWatched: () => boolean) => Promise<void>,
): Promise<void> {
  const onFault = (error: unknown) =>
    log(`internal error: ${error instanceof Error ? error.stack : error}`);
  const paths = daemonPaths(home);
  const socketPath = await prepareSocketPath(home, env);
  await rm(socketPath, { force: true }); // a killed daemon may have left its socket behind
  const listeners: ListeningServer[] = [];
  const browsers = browserFile(paths.browsers);
  const endpoints = options.endpoints?.(halyard) ?? [];
  const { join } = options;
  const server = createServer(halyard, {
    endpoints,
    version,
    onFault,
    now,
    web: true,
    ...(join && { forPage: () => join(halyard) }),
    browsers,
    pageUrl: () => pageUrl(),
    shareUrl: () => shareUrl(),
    onUnshare: () => shares.closeIfUnused(),
    token: network?.token,
  });
  await using page = new PagePort({
    file: paths.page,
    listen: (port) => server.listen({ port }),
    onOpen: (url) => onListening({ socketPath, url }),
  });
  await using shares = new SharePort({
    file: paths.sharePort,
    listen: (port) => server.listen({ port, host: ALL_ADDRESSES, expose: true, isForShares: true }),
    browsers,
    now,
  });
  let pageUrl = () => page.open();
  // If no other machine can reach this machine, rejects before the port is opened and before a link is created.
  let shareUrl = async () => {
    requireReachable(`http://${ALL_ADDRESSES}`);
    return requireReachable(await shares.open());
  };
  try {
    listeners.push(await server.listen({ socketPath }));
    const onNetwork = network && (await server.listen(network));
    if (onNetwork) {
      listeners.push(onNetwork);
      pageUrl = async () => localUrl(onNetwork.url);
      if (network?.expose) shareUrl = async () => requireReachable(onNetwork.url);
    }
    const isExpected = (await browsers.read()).some(({ expiresAt }) => new Date(expiresAt) > now());
    const reopened = isExpected && !onNetwork ? await page.reopen().catch(onFault) : undefined;
    const url = onNetwork?.url ?? reopened;
    const addresses = { socketPath, ...(url && { url }) };
    await onListening(addresses);
    await shares.reopen().catch(onFault); // fails if another program uses the port
    const isConnected = () => endpoints.some(({ connections }) => connections > 0);
    await during(addresses, () => server.readers > 0 || isConnected() || shares.isOpen);
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await Promise.all(listeners.map((listener) => listener.close()));
    await rm(socketPath, { force: true });
  }
}

const ALL_ADDRESSES = "0.0.0.0";

/** Returns the address for a browser on this machine. A server on all addresses also listens on loopback. */
function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
