import type { SessionId } from "../schema/id.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { Clock } from "./clock.ts";
import type { Health, Host, ProcessIdentity } from "./host.ts";
import type { AdapterSource } from "./runtimes.ts";
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
  readonly defaultRuntime: RuntimeName;
  /** Never to be written down. */
  readonly secrets: readonly string[];
}

export interface SessionDirectories {
  /** Gone when the session stops. */
  readonly run: string;
  /** Gone when the session is removed. */
  readonly state: string;
}
