import { setTimeout as delay } from "node:timers/promises";
import { fromErrorInfo } from "../../core/error.ts";
import type { Session } from "../../core/halyard.ts";
import { deliveryOf } from "../../core/turn-results.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { within } from "../../core/watchdog.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { backoffMs } from "../../wire/backoff.ts";

/** How often a message that was not taken is tried again, and how far apart. */
export interface RetryPolicy {
  readonly retries: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

interface DeliverOptions {
  /** Until the runtime has it; without it, a message may wait for its turn. */
  readonly timeout?: number | undefined;
  readonly retry: RetryPolicy;
  /** Gives the delivery up. */
  readonly signal?: AbortSignal | undefined;
}

/** Delivers a message to a session once it is ready. A message that the runtime does not take is retried. */
export async function deliver(
  opening: Session | Promise<Session>,
  text: string,
  options: DeliverOptions,
): Promise<Receipt> {
  const giveUp = new AbortController();
  const trying = keepTrying(opening, text, options, giveUp.signal);
  try {
    const inTime = within("turn", options.timeout ?? 0, "delivering the message", trying);
    return await (options.signal ? unlessAborted(inTime, options.signal) : inTime);
  } catch (error) {
    giveUp.abort(); // if the runtime is just getting it, the turn ends as soon as it can
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
  signal.throwIfAborted(); // it may have been too long for whoever sent it
  for (let attempt = 0; ; attempt++) {
    const turn = session.send(text, { signal });
    const receipt = await (timeout === undefined ? turn.accepted : deliveryOf(turn));
    if (receipt.status !== "failed") return receipt;
    if (receipt.error.code !== "delivery_failed" || attempt >= retry.retries)
      throw fromErrorInfo(receipt.error);
    await delay(backoffMs(attempt, retry), undefined, { signal });
  }
}
