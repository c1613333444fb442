import type { Adapter } from "../contracts/adapter.ts";
import { raw } from "../contracts/event-draft.ts";
import { HalyardError } from "../errors/error.ts";

/** Creates the adapter for a runtime that cannot run. `probe` and `connect` report the reason. */
export function unavailableAdapter(name: string, reason: string): Adapter {
  const hint = "choose another runtime";
  return {
    name,
    displayName: name,
    capabilities: [],
    probe: async () => ({ available: false, reason, hint }),
    connect: async () => {
      throw new HalyardError(
        "runtime_unavailable",
        `${name} cannot run here: ${reason}. Choose another runtime.`,
      );
    },
    createMapper: () => ({
      map: (message) => [raw(message)],
      flush: () => [],
    }),
  };
}
