import type { SessionId } from "../schema/id.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { Clock } from "./clock.ts";
import type { Health, Host, ProcessIdentity } from "./host.ts";
import type { AdapterSource } from "./runtimes.ts";
import type { SessionRequest } from "./session-request.ts";
import type { Store } from "./store.ts";

/** All that sessions run on: what `createHalyard` puts together. */
export interface Machine {
  readonly store: Store;
  readonly adapters: AdapterSource;
  readonly hosts: ReadonlyMap<HostName, Host>;
  readonly clock: Clock;
  /** This process, as the owner of the sessions it runs. */
  readonly self: ProcessIdentity;
  /** Whether the process that owns a session still runs. */
  health(owner: ProcessIdentity): Promise<Health>;
  /** What a session keeps on disk beside its log. */
  directories(id: SessionId): SessionDirectories;
  /** The runtime for a request that names none. */
  choose(request: SessionRequest): Promise<RuntimeChoice>;
  /** Never to be written down. */
  readonly secrets: readonly string[];
}

/** A runtime that was chosen for somebody who named none. */
export interface RuntimeChoice {
  readonly runtime: RuntimeName;
  /** What to run instead where that one cannot run here; without it, its absence is an error. */
  readonly fallback?: RuntimeName;
}

export interface SessionDirectories {
  /** Gone when the session stops. */
  readonly run: string;
  /** Gone when the session is removed. */
  readonly state: string;
}
