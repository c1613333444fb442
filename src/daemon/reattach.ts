import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { Log } from "./log.ts";

/**
 * Attaches to every session that an earlier daemon left running, so that its events are recorded again. Resolves when
 * all attachments have started; a later request for one of these sessions waits for its attachment.
 */
export async function reattach(halyard: Halyard, log: Log): Promise<{ done: Promise<unknown> }> {
  const left = await halyard.sessions({ states: ["detached"] });
  const attaching = left.map(async ({ id }) => {
    try {
      await halyard.resume(id);
      log(`attached to ${id}`);
    } catch (error) {
      log(`could not attach to ${id}: ${reasonOf(error)}`);
    }
  });
  return { done: Promise.all(attaching) };
}

function reasonOf(error: unknown): string {
  if (error instanceof HalyardError) return `${error.message} (${error.code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
