import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { Log } from "./log.ts";

/**
 * Takes hold of every session that an earlier daemon left running, so that its turns go on being recorded. Resolves
 * once that is under way: from then on, whoever asks for one of them gets it when it is there.
 */
export async function reattach(halyard: Halyard, log: Log): Promise<{ done: Promise<unknown> }> {
  const left = await halyard.sessions({ states: ["detached"] });
  const attaching = left.map(async ({ id }) => {
    try {
      await halyard.resume(id);
      log(`took hold of ${id} again`);
    } catch (error) {
      log(`${id} could not be taken hold of: ${reasonOf(error)}`);
    }
  });
  return { done: Promise.all(attaching) };
}

function reasonOf(error: unknown): string {
  if (error instanceof HalyardError) return `${error.message} (${error.code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
