import { rm } from "node:fs/promises";
import type { Environment } from "../config/paths.ts";
import type { Halyard } from "../core/halyard.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import { createServer, type ListenAddress, type Listener } from "../server/index.ts";
import { prepareHome } from "./home.ts";
import { untilIdle } from "./idle.ts";
import { takeLock } from "./lock.ts";
import type { Log } from "./log.ts";
import { daemonPaths } from "./paths.ts";
import { reattach } from "./reattach.ts";
import type { DaemonRecord } from "./record.ts";
import { removeStaleSockets } from "./serve-owner.ts";
import { prepareSocketPath } from "./socket-path.ts";

/** What a daemon is run with. */
export interface DaemonOptions {
  readonly home: string;
  readonly env: Environment;
  readonly version: string;
  readonly kind: DaemonRecord["kind"];
  /** Opens the sessions of the home; called once nobody else can be their daemon. */
  readonly open: () => Promise<Halyard>;
  /** Also on the network: there a token has to be shown. */
  readonly network?: Extract<ListenAddress, { port: number }> & { readonly token: string };
  /** Ends it after so long without a live session; 0 is never. */
  readonly idleMs: number;
  /** Ends it: sessions go on without it where they can. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** It answers from now on. */
  readonly onReady?: (record: DaemonRecord) => void;
}

/** Runs a home's daemon until it is told to end or has nothing left to do. Rejects where another one runs. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { home, version, kind, log, now } = options;
  await prepareHome(home);
  const startedAt = now().toISOString();
  const record: DaemonRecord = { identity: ownIdentity(), version, startedAt, kind };
  const lock = await takeLock(daemonPaths(home).locks, record);
  try {
    log(`halyard ${version} begins as pid ${record.identity.pid}`);
    await removeStaleSockets(home);
    await using halyard = await options.open();
    const attaching = await reattach(halyard, log);
    await serve(halyard, options, async ({ socketPath, url }) => {
      const ready = { ...record, socketPath, ...(url !== undefined && { url }) };
      await lock.update(ready);
      options.onReady?.(ready);
      log(`answers at ${[socketPath, url].filter(Boolean).join(" and ")}`);
      await untilIdle(halyard, options);
      log(options.signal.aborted ? "was told to end" : "has nothing left to do");
    });
    await attaching.done;
  } finally {
    await lock.release();
  }
  log("has ended; sessions that live go on");
}

interface Addresses {
  readonly socketPath: string;
  readonly url: string | undefined;
}

/** Answers for as long as `during` lasts. */
async function serve(
  halyard: Halyard,
  { home, env, version, network, log }: DaemonOptions,
  during: (addresses: Addresses) => Promise<void>,
): Promise<void> {
  const onFault = (error: unknown) =>
    log(`a fault: ${error instanceof Error ? error.stack : error}`);
  const token = network && { token: network.token };
  const server = createServer(halyard, { version, onFault, ...token });
  const socketPath = await prepareSocketPath(home, env);
  await rm(socketPath, { force: true }); // of a daemon that died
  const listeners: Listener[] = [];
  try {
    listeners.push(await server.listen({ socketPath }));
    const onNetwork = network && (await server.listen(network));
    if (onNetwork) listeners.push(onNetwork);
    await during({ socketPath, url: onNetwork?.url });
  } finally {
    await Promise.all(listeners.map((listener) => listener.close()));
    await rm(socketPath, { force: true });
  }
}
