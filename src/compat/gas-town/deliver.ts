import { setTimeout as delay } from "node:timers/promises";
import { unlessAborted } from "../../async/unless-aborted.ts";
import { within } from "../../async/watchdog.ts";
import type { Session } from "../../contracts/halyard.ts";
import { fromErrorInfo } from "../../errors/error.ts";
import { deliveryOf } from "../../halyard/turn-results.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { backoffMs } from "../../wire/backoff.ts";

/** The number of retries for a rejected message, and the delays between them in milliseconds. */
export interface RetryPolicy {
  readonly retries: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

interface DeliverOptions {
  /** The time limit for the delivery, in milliseconds. If omitted, the message may wait until the current turn ends. */
  readonly timeout?: number | undefined;
  readonly retry: RetryPolicy;
  /** Aborting it aborts the delivery. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Delivers a message as soon as the session is ready. Retries if the runtime rejects the message. Rejects if the time
 * limit expires, the signal is aborted, or the last retry fails.
 */
export async function deliver(
  opening: Session | Promise<Session>,
  text: string,
  options: DeliverOptions,
): Promise<Receipt> {
  const giveUp = new AbortController();
  const trying = keepTrying(opening, text, options, giveUp.signal);
  try {
    const setting = "the message's timeout";
    const limitMs = options.timeout ?? 0;
    const inTime = within("turn", limitMs, "delivering the message", trying, { setting });
    return await (options.signal ? unlessAborted(inTime, options.signal) : inTime);
  } catch (error) {
    giveUp.abort(); // cancels the turn if the runtime is receiving the message now
    throw error;
  }
}

async function keepTrying(
  opening: Session | Promise<Session>,
  text: string,
  { timeout, retry }: DeliverOptions,
  signal: AbortSignal,
): Promise<Receipt> {
  const session = await opening;
  await session.ready();
  signal.throwIfAborted(); // the wait may have exceeded the time limit
  for (let attempt = 0; ; attempt++) {
    const turn = session.send(text, { signal });
    const receipt = await (timeout === undefined ? turn.accepted : deliveryOf(turn));
    if (receipt.status !== "failed") return receipt;
    if (receipt.error.code !== "delivery_failed" || attempt >= retry.retries)
      throw fromErrorInfo(receipt.error);
    await delay(backoffMs(attempt, retry), undefined, { signal });
  }
}
