import { setTimeout as sleep } from "node:timers/promises";
import type { Machine } from "../../contracts/machine.ts";
import type { Writer } from "../../contracts/store.ts";
import { isTransient } from "../../log/appends.ts";
import type { SessionId } from "../../schema/id.ts";
import { backoffMs } from "../../wire/backoff.ts";

/**
 * Releases a session that this process has claimed and could not open. If the store cannot be written, the release is repeated
 * in the background: other machines could not continue the session as long as this process is on record as its owner.
 */
export async function giveBack(machine: Machine, id: SessionId, writer: Writer): Promise<void> {
  if (await isReleased(writer)) return;
  machine.abandoned.add(id);
  void repeat(writer); // never rejects
}

async function repeat(writer: Writer): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await sleep(backoffMs(attempt, { baseMs: 100, maxMs: 10_000 }), undefined, { ref: false });
    if (await isReleased(writer)) return;
  }
}

/** False if the store cannot be written now. An error of another kind means that another process is the owner. */
async function isReleased(writer: Writer): Promise<boolean> {
  try {
    await writer.release();
    return true;
  } catch (error) {
    return !isTransient(error);
  }
}

/** The maximum number of attempts, which take about fifteen minutes. */
const MAX_ATTEMPTS = 100;
