import { setTimeout as sleep } from "node:timers/promises";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { Writer } from "../../contracts/store.ts";
import { isTransient } from "../../log/appends.ts";
import type { SessionId } from "../../schema/id.ts";
import { backoffMs } from "../../wire/backoff.ts";

/**
 * Releases a session that this process has claimed but could not open. If the store cannot be written, retries in the
 * background: other machines cannot continue the session while this process is recorded as its owner.
 */
export async function giveBack(parts: HalyardParts, id: SessionId, writer: Writer): Promise<void> {
  if (await isReleased(writer)) return;
  parts.abandoned.add(id);
  void repeat(writer); // never rejects
}

async function repeat(writer: Writer): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await sleep(backoffMs(attempt, { baseMs: 100, maxMs: 10_000 }), undefined, { ref: false });
    if (await isReleased(writer)) return;
  }
}

/**
 * Releases the session. Returns false if the store temporarily cannot be written. Any other error means that another
 * process already owns the session.
 */
async function isReleased(writer: Writer): Promise<boolean> {
  try {
    await writer.release();
    return true;
  } catch (error) {
    return !isTransient(error);
  }
}

/** The maximum number of attempts. Together they take about 12 minutes. */
const MAX_ATTEMPTS = 100;
