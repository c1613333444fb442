import { setTimeout as sleep } from "node:timers/promises";
import type { HookPayload, UrlHook } from "../schema/hook.ts";
import { backoffMs } from "../wire/backoff.ts";
import { sign } from "./signature.ts";
import type { HookSink } from "./sink.ts";

/** Clock and retry delay of a URL hook. */
export interface UrlContext {
  readonly now: () => Date;
  /** Delay before the second attempt; it doubles with each further attempt. Defaults to 500 ms. */
  readonly retryMs?: number;
}

/**
 * Creates a sink that posts each payload to a URL and retries until a request succeeds. All attempts of a payload have
 * the same `webhook-id`, so that the receiver can ignore a repeated payload.
 */
export function urlSink(hook: UrlHook, { now, retryMs = 500 }: UrlContext): HookSink {
  return {
    name: urlName(hook),
    ...(hook.events && { events: hook.events }),
    async deliver(payload, { signal }) {
      const body = JSON.stringify(payload);
      for (let attempt = 0; ; attempt++) {
        const refusal = await post(hook, payload, { body, signal, at: now() });
        if (refusal === undefined) return;
        const isLast = attempt + 1 >= hook.attempts || !refusal.isRetryable;
        if (isLast) throw new Error(`${refusal.reason} (attempts: ${attempt + 1})`);
        await sleep(backoffMs(attempt, { baseMs: retryMs, maxMs: MAX_WAIT_MS }), undefined, {
          signal,
        });
      }
    },
  };
}

const MAX_WAIT_MS = 30_000;

/** Returns the URL without its query, user and fragment, which may contain secrets. */
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
      redirect: "error", // the signature is valid for this URL only
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return {
      reason: `the server responded with status ${status}`,
      isRetryable: status >= 500 || retryableStatuses.has(status),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error), isRetryable: true };
  }
}

/** Client error statuses after which a retry may succeed. */
const retryableStatuses = new Set([408, 425, 429]);

/** Returns the message of the cause if there is one, because `fetch failed` explains nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
