import type { HalyardParts, Membership, Owners } from "../contracts/halyard-parts.ts";
import type { Health, ProcessIdentity } from "../contracts/host.ts";

interface PeersOptions {
  readonly self: ProcessIdentity;
  /** Connects to processes on this machine. */
  readonly sockets: Owners;
  /** Reports the health of a process on this machine. */
  readonly healthOfProcess: (owner: ProcessIdentity) => Health;
}

/** Returns functions that check and reach the processes that own sessions, on this machine or elsewhere in a cluster. */
export function createPeers(
  membership: Membership | undefined,
  { self, sockets, healthOfProcess }: PeersOptions,
): Pick<HalyardParts, "health"> & { readonly owners: Owners } {
  const isElsewhere = (owner: ProcessIdentity) => owner.machine !== self.machine;
  return {
    async health(owner) {
      if (!membership || !isElsewhere(owner)) return healthOfProcess(owner);
      return (await membership.holdsLease(owner)) ? "alive" : "unreachable";
    },
    owners: {
      reach: (owner) =>
        membership && isElsewhere(owner) ? membership.reach(owner) : sockets.reach(owner),
      [Symbol.asyncDispose]: () => sockets[Symbol.asyncDispose](),
    },
  };
}
