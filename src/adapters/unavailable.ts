import type { Adapter } from "../core/adapter.ts";
import { raw } from "../core/draft.ts";
import { HalyardError } from "../core/error.ts";

/** A runtime that is known by name and cannot be run, for the reason given. */
export function unavailableAdapter(name: string, reason: string): Adapter {
  const hint = "choose another one";
  return {
    name,
    displayName: name,
    capabilities: [],
    probe: async () => ({ available: false, reason, hint }),
    connect: async () => {
      throw new HalyardError("runtime_unavailable", `${name} cannot run here: ${reason}. ${hint}`);
    },
    createMapper: () => ({
      map: (message) => [raw(message)],
      flush: () => [],
    }),
  };
}
