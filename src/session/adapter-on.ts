import type { Adapter } from "../contracts/adapter.ts";
import type { HostName } from "../schema/host.ts";

/** Returns the adapter to use on a host. On tmux, this is the adapter for screens, or undefined if there is none. */
export function adapterOn(host: HostName | undefined, adapter: Adapter): Adapter | undefined {
  return host === "tmux" ? adapter.onScreen : adapter;
}
