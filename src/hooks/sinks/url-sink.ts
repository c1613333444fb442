import { setTimeout as sleep } from "node:timers/promises";
import { anySignal } from "../../async/any-signal.ts";
import { notificationEvents, type UrlHook } from "../../schema/hook.ts";
import { backoffMs } from "../../wire/backoff.ts";
import { toMessage } from "../notification.ts";
import { sign } from "../signature.ts";
import { type HookSink, TransientError } from "./sink.ts";

/** The clock and retry delay of a URL hook. */
export interface UrlContext {
  readonly now: () => Date;
  /**
   * The maximum delay before the second attempt, in milliseconds. The delay doubles with each further attempt, up to 30 s.
   * Defaults to 500.
   */
  readonly retryMs?: number;
}

/**
 * Creates a sink that posts each payload to a URL. Retries transient failures until the hook's number of attempts is
 * reached. All attempts of a payload have the same `webhook-id`, so that the receiver can ignore a repeated payload.
 */
export function urlSink(hook: UrlHook, { now, retryMs = 500 }: UrlContext): HookSink {
  return {
    name: urlName(hook),
    ...eventsOf(hook),
    async deliver(payload, { id, signal }) {
      const { url, body } = toMessage(hook, payload);
      for (let attempt = 0; ; attempt++) {
        const refusal = await post({ ...hook, url }, { id, body, signal, at: now() });
        if (refusal === undefined) return;
        const isLast = attempt + 1 >= hook.attempts || !refusal.isRetryable;
        if (isLast) throw toError(refusal, `${refusal.reason} (attempts: ${attempt + 1})`);
        await sleep(backoffMs(attempt, { baseMs: retryMs, maxMs: MAX_WAIT_MS }), undefined, {
          signal,
        });
      }
    },
  };
}

const MAX_WAIT_MS = 30_000;

function eventsOf({ events, format }: UrlHook): Pick<HookSink, "events"> {
  if (events) return { events };
  return format === "json" ? {} : { events: notificationEvents };
}

/** Returns the URL without the parts that may contain secrets, such as the path of a Slack URL or the topic of ntfy. */
export function urlName({ url }: Pick<UrlHook, "url">): string {
  const { origin, pathname } = new URL(url);
  return pathname === "/" ? origin : `${origin}/…`;
}

function toError({ isRetryable }: Refusal, message: string): Error {
  return isRetryable ? new TransientError(message) : new Error(message);
}

interface Refusal {
  readonly reason: string;
  readonly isRetryable: boolean;
}

interface Attempt {
  readonly id: string;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly at: Date;
}

async function post(
  { url, secret, timeoutMs, headers: added }: UrlHook,
  { id, body, signal, at }: Attempt,
): Promise<Refusal | undefined> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const headers = {
    ...added,
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
      redirect: "manual", // do not follow redirects, because only the configured URL may receive the payload
      signal: anySignal([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (response.ok) return void (await response.body?.cancel());
    const { status } = response;
    const said = await firstWords(response);
    return {
      reason: `the server responded with status ${status}${said && `: ${said}`}`,
      isRetryable: status >= 500 || retryableStatuses.has(status),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error), isRetryable: true };
  }
}

/** Client error statuses after which a retry may succeed. */
const retryableStatuses = new Set([408, 425, 429]);

/** Returns the beginning of an error response on one line, such as Slack's `no_service`. */
async function firstWords(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= MAX_WORDS) break;
  }
  return text
    .slice(0, MAX_WORDS)
    .replace(/[\s\p{Control}]+/gu, " ")
    .trim();
}

const MAX_WORDS = 200;

/**
 * Returns the message of the innermost cause, because `fetch failed` gives no reason. If the connection fails on all
 * addresses of a host, the error has no message but one error per address.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
