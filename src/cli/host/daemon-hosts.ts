import { stat } from "node:fs/promises";
import { homeDirectory, hostsFile } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { clusterIn } from "../cluster/open-cluster.ts";
import type { Console } from "../console/console.ts";
import { withHosts } from "./open-hosts.ts";

/**
 * Joins the sessions of the machines in "halyard host list" for two daemon clients: the page, and MCP over HTTP.
 * All other clients receive only this machine's sessions and join the hosts themselves, so that two machines can be
 * hosts of each other.
 */
export class DaemonHosts {
  /** The reasons why hosts do not respond, by host name. */
  readonly unreachable = new Map<string, string>();
  readonly #console: Console;
  readonly #file: string;
  #joined: { readonly version: string; readonly halyard: Promise<Halyard> } | undefined;

  constructor(console: Console) {
    this.#console = console;
    this.#file = hostsFile(homeDirectory(console.env));
  }

  /**
   * Joins the sessions of all hosts with those of this machine. Hosts can be added and removed while the daemon runs.
   * Returns `own` if the environment names a cluster, which has no hosts.
   */
  async join(own: Halyard): Promise<Halyard> {
    if (clusterIn(this.#console.env)) return own;
    const version = await stat(this.#file).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => "", // the file is missing if no host was added
    );
    if (this.#joined?.version !== version) {
      this.unreachable.clear();
      this.#joined = { version, halyard: this.#open(own) };
    }
    return this.#joined.halyard;
  }

  #open(own: Halyard): Promise<Halyard> {
    return withHosts(own, this.#console, {
      hosts: true,
      retries: true,
      onUnreachable: (host, reason) => void this.unreachable.set(host, reason),
      onReached: (host) => void this.unreachable.delete(host),
    });
  }
}
