import { HalyardError } from "../core/error.ts";
import type { ProcessIdentity } from "../core/host.ts";
import type { SessionId } from "../schema/id.ts";

/** Why a store does not do as it was told: the same words from every store. */
export const refusals = {
  notFound: (id: SessionId) => new HalyardError("session_not_found", `There is no session ${id}.`),

  exists: (id: SessionId) =>
    new HalyardError("internal", `The store has a session ${id} already, so it cannot be created.`),

  owned: (id: SessionId, owner: ProcessIdentity | null) =>
    owner === null
      ? new HalyardError(
          "session_owned",
          `Session ${id} was given back and has to be claimed anew.`,
        )
      : new HalyardError(
          "session_owned",
          `Session ${id} is run by another process (${owner.pid}).`,
        ),

  gap: (id: SessionId, lastSeq: number, firstSeq: number) =>
    new HalyardError(
      "internal",
      `The log of session ${id} ends at ${lastSeq}, so that nothing can be added at ${firstSeq}.`,
    ),

  closed: (name: string) => new HalyardError("store_failed", `The store ${name} is closed.`),
} as const;
