import { connectHalyard } from "../client/index.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { SshHost } from "./host-list.ts";
import type { JoinedHost } from "./reached-hosts.ts";
import { Tunnel, type TunnelOptions } from "./tunnel.ts";

/** A listed host whose sessions are joined with those of this machine. */
export interface OpenHost extends JoinedHost {
  /** Connects even if the host recently did not respond. */
  retry(): Promise<Halyard>;
}

/** Prepares the connection to a host. The connection is opened on first use and then shared. */
export function openHost(host: SshHost, options: TunnelOptions): OpenHost {
  let halyard: Promise<Halyard> | undefined;
  const connect = async (isRetry: boolean): Promise<Halyard> => {
    const tunnel = await Tunnel.create(host, options);
    if (!isRetry) await tunnel.throwIfRecentlyFailed();
    await tunnel.open();
    return connectHalyard("http://localhost", { fetch: tunnel.fetch, reconnectMs: RECONNECT_MS });
  };
  const reach = (isRetry: boolean) => {
    halyard ??= connect(isRetry);
    halyard.catch(() => {
      halyard = undefined; // the caller receives the error, and the next call connects again
    });
    return halyard;
  };
  return { name: host.name, reach: () => reach(false), retry: () => reach(true) };
}

/**
 * How long the client tries to reconnect, in milliseconds. Long, so that a reader of events continues after the machine
 * or its network restarts.
 */
const RECONNECT_MS = 600_000;

/** Closes the connection to a host. The host's sessions continue. */
export async function closeHost(host: SshHost, options: TunnelOptions): Promise<void> {
  await (await Tunnel.create(host, options)).close();
}
