import type { ProcessIdentity } from "../contracts/host.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionId } from "../schema/id.ts";

/** Creates the errors that all stores share, with the same messages. */
export const refusals = {
  notFound: (id: SessionId) =>
    new HalyardError(
      "session_not_found",
      `Session ${id} not found. Run "halyard sessions" to list sessions.`,
    ),

  exists: (id: SessionId) =>
    new HalyardError("invalid_input", `id: session ${id} already exists. Choose another id.`),

  owned: (id: SessionId, owner: ProcessIdentity | null) =>
    owner === null
      ? new HalyardError(
          "session_owned",
          `This process no longer owns session ${id}. Run "halyard resume ${id}" to continue the session.`,
        )
      : new HalyardError(
          "session_owned",
          `Session ${id} is owned by process ${owner.pid}. Run "halyard attach ${id}" to use the session.`,
        ),

  gap: (id: SessionId, lastSeq: number, firstSeq: number) =>
    new HalyardError(
      "internal",
      `The log of session ${id} ends at ${lastSeq}, so nothing can be appended at ${firstSeq}. Append at ${lastSeq + 1}.`,
    ),

  closed: (name: string) =>
    new HalyardError(
      "store_failed",
      `The store ${name} is closed. Create a new Halyard instance, or open the store again.`,
    ),
} as const;
