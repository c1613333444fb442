import { setTimeout as sleep } from "node:timers/promises";
import type { HookPayload, UrlHook } from "../schema/hook.ts";
import { backoffMs } from "../wire/backoff.ts";
import { sign } from "./signature.ts";
import type { HookSink } from "./sink.ts";

/** What a URL is called with. */
export interface UrlPlace {
  readonly now: () => Date;
  /** The wait before the second attempt; it doubles with each further one. */
  readonly retryMs?: number;
}

/**
 * Posts every payload to a URL until it takes it. The `webhook-id` of a payload stays the same over its attempts, so
 * that a receiver who took one and could not say so can tell.
 */
export function urlSink(hook: UrlHook, { now, retryMs = 500 }: UrlPlace): HookSink {
  return {
    name: urlName(hook),
    ...(hook.events && { events: hook.events }),
    async deliver(payload, { signal }) {
      const body = JSON.stringify(payload);
      for (let attempt = 0; ; attempt++) {
        const refusal = await post(hook, payload, { body, signal, at: now() });
        if (refusal === undefined) return;
        const isLast = attempt + 1 >= hook.attempts || !refusal.isRetryable;
        if (isLast) throw new Error(`${refusal.reason}, after ${attempt + 1} attempts`);
        await sleep(backoffMs(attempt, { baseMs: retryMs, maxMs: MAX_WAIT_MS }), undefined, {
          signal,
        });
      }
    },
  };
}

const MAX_WAIT_MS = 30_000;

/** The URL without what may be secret in it. */
export function urlName({ url }: Pick<UrlHook, "url">): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

interface Refusal {
  readonly reason: string;
  readonly isRetryable: boolean;
}

interface Attempt {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly at: Date;
}

async function post(
  { url, secret, timeoutMs }: UrlHook,
  { event, session_id, data }: HookPayload,
  { body, signal, at }: Attempt,
): Promise<Refusal | undefined> {
  const id = `${session_id}:${event}:${data.seq}`;
  const timestamp = Math.floor(at.getTime() / 1000);
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(secret !== undefined && { "webhook-signature": sign(secret, { id, timestamp, body }) }),
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "error", // the signature is for this URL and no other
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return { reason: `it answered ${status}`, isRetryable: status >= 500 || later.has(status) };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error), isRetryable: true };
  }
}

/** Answers that mean not now rather than no. */
const later = new Set([408, 425, 429]);

/** `fetch failed` tells nobody anything; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
