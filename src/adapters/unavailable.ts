import type { Adapter } from "../contracts/adapter.ts";
import { raw } from "../contracts/event-draft.ts";
import { HalyardError } from "../errors/error.ts";

/** Creates the adapter for a runtime that cannot run. `probe` and `connect` report the reason and the hint. */
export function unavailableAdapter(
  name: string,
  reason: string,
  hint = "choose another runtime",
): Adapter {
  return {
    name,
    displayName: name,
    capabilities: [],
    probe: async () => ({ available: false, reason, hint }),
    connect: async () => {
      throw new HalyardError(
        "runtime_unavailable",
        `${name} cannot run here: ${reason}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`,
      );
    },
    createMapper: () => ({
      map: (message) => [raw(message)],
      flush: () => [],
    }),
  };
}
