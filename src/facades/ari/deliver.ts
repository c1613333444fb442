import { setTimeout as delay } from "node:timers/promises";
import { HalyardError } from "../../core/error.ts";
import type { Session, Turn } from "../../core/halyard.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { backoffMs } from "../../wire/backoff.ts";

/** How often a message that was not taken is tried again, and how far apart. */
export interface RetryPolicy {
  readonly retries: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Delivers a message to a session that is ready. What the runtime refuses to take is tried again. */
export async function deliver(
  session: Session,
  text: string,
  { timeout, retry }: { timeout?: number | undefined; retry: RetryPolicy },
): Promise<Receipt> {
  const deadline = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  for (let attempt = 0; ; attempt++) {
    const receipt = await attemptOnce(session.send(text), deadline);
    if (receipt.status !== "failed") return receipt;
    const { code, message } = receipt.error;
    if (code !== "delivery_failed" || attempt >= retry.retries || deadline?.aborted)
      throw new HalyardError(code, message);
    await delay(backoffMs(attempt, retry));
  }
}

async function attemptOnce(turn: Turn, deadline: AbortSignal | undefined): Promise<Receipt> {
  if (deadline === undefined) return turn.accepted;
  const late = new Promise<undefined>((resolve) => {
    if (deadline.aborted) resolve(undefined);
    else deadline.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const receipt = await Promise.race([taken(turn), late]);
  if (receipt) return receipt;
  // Where the runtime is just getting it, the turn ends as soon as it can; nobody has to wait for that.
  void turn.cancel("it was not delivered in time").catch(() => {});
  throw new HalyardError("timed_out", "the runtime did not take the message in time", {
    phase: "turn",
  });
}

/** A message that waits for others to end has not been delivered yet. */
async function taken(turn: Turn): Promise<Receipt> {
  const receipt = await turn.accepted;
  if (receipt.status !== "queued") return receipt;
  for await (const event of turn) {
    if (event.type === "system") continue;
    const { error } = event.type === "completion" ? event.outcome : {};
    return error?.code === "delivery_failed"
      ? { status: "failed", error }
      : { status: "confirmed" };
  }
  return receipt;
}
