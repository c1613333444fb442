import { setTimeout as sleep } from "node:timers/promises";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { backoffMs } from "../wire/backoff.ts";
import type { Log } from "./log.ts";

/**
 * Resumes every `detached` session of this machine, so that its events are recorded again. A resume attaches to the
 * runtime, or starts the runtime again if it exited while its turn waited for a usage limit or a budget. Resolves when all
 * resumes have started; a later request for one of these sessions waits for its resume. `done` resolves when all resumes
 * have succeeded or failed.
 */
export async function reattach(
  halyard: Halyard,
  log: Log,
  { machine }: { readonly machine?: string } = {},
): Promise<{ done: Promise<unknown> }> {
  const detached = await halyard.sessions({ states: ["detached"] });
  const left = detached.filter((info) => info.machine === machine);
  const attaching = left.map(async ({ id }) => {
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt > 0 && (await halyard.find(id))?.machine !== machine) return;
        await halyard.resume(id);
        return log(`resumed ${id}`);
      } catch (error) {
        log(`could not resume ${id}: ${reasonOf(error)}`);
        const canRetry = isStoreDown(error) || (machine !== undefined && isOwned(error));
        if (!canRetry || attempt === MAX_RETRIES) return;
      }
      // A cluster's servers may be electing a leader, or another machine has claimed the session and may release it.
      await sleep(backoffMs(attempt, { baseMs: 200, maxMs: 10_000 }), undefined, { ref: false });
    }
  });
  return { done: Promise.all(attaching) };
}

function isStoreDown(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "store_unreachable";
}

function isOwned(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "session_owned";
}

const MAX_RETRIES = 50;

function reasonOf(error: unknown): string {
  if (error instanceof HalyardError) return `${error.message} (${error.code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
