import { setTimeout as sleep } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { backoffMs } from "../../wire/backoff.ts";
import { isRepeatable, toStreamError } from "./errors.ts";

/**
 * Repeats a request while the servers do not respond, for at most `patienceMs`. Rejects with a `HalyardError`, or with
 * the servers' error if they reject the request.
 */
export async function repeatRequest<T>(
  connection: NatsConnection,
  patienceMs: number,
  request: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (!isRepeatable(error)) throw error;
      if (connection.isClosed() || performance.now() > deadline)
        throw toStreamError(error, connection.getServer());
      await pause(attempt);
    }
  }
}

/**
 * Repeats a request until it finds a message, for at most 5 s. Then resolves to undefined. A server that has just become
 * the leader may respond before it has applied all messages.
 */
export async function repeatUntilFound<T>(
  request: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = performance.now() + CATCH_UP_MS;
  for (let attempt = 0; ; attempt++) {
    const found = await request();
    if (found !== undefined || performance.now() > deadline) return found;
    await pause(attempt);
  }
}

function pause(attempt: number): Promise<void> {
  return sleep(backoffMs(attempt, { baseMs: 20, maxMs: 500 }));
}

const CATCH_UP_MS = 5_000;
