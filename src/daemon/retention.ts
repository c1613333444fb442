import { setTimeout as sleep } from "node:timers/promises";
import type { Halyard } from "../contracts/halyard.ts";
import { reasonOf } from "../errors/error.ts";
import type { Retention } from "../schema/session/retention.ts";
import type { Log } from "./log.ts";

export interface RetentionOptions {
  /** Reads the retention rule. If the rule is undefined, no session is removed. */
  readonly retention: () => Promise<Retention | undefined>;
  readonly log: Log;
  /**
   * The time before the first removal, in milliseconds. Defaults to one minute, to keep the start of the daemon fast.
   */
  readonly firstMs?: number;
}

/** Removes old ended sessions once a day, in steps with pauses between them, until the returned object is disposed. */
export function startRetention(halyard: Halyard, options: RetentionOptions): AsyncDisposable {
  const stopping = new AbortController();
  const done = run(halyard, options, stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

async function run(
  halyard: Halyard,
  { retention, log, firstMs = FIRST_MS }: RetentionOptions,
  signal: AbortSignal,
): Promise<void> {
  // rejects only if the signal is aborted
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  for (let waitMs = firstMs; ; waitMs = DAY_MS) {
    await pause(waitMs);
    if (signal.aborted) return;
    try {
      const rule = await retention();
      if (rule) await pruneAll(halyard, rule, { log, signal, pause });
    } catch (error) {
      log(`could not remove old sessions: ${reasonOf(error)}`);
    }
  }
}

const FIRST_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const PAUSE_MS = 1000;

interface Steps {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pause: (ms: number) => Promise<void>;
}

async function pruneAll(
  halyard: Halyard,
  rule: Retention,
  { log, signal, pause }: Steps,
): Promise<void> {
  let count = 0;
  let bytes = 0;
  for (let hasMore = true; hasMore && !signal.aborted; await pause(PAUSE_MS)) {
    const result = await halyard.prune(rule);
    for (const problem of result.problems) log(problem);
    count += result.removed.length;
    bytes += result.freedBytes;
    hasMore = result.hasMore && (result.removed.length > 0 || result.freedBytes > 0);
  }
  if (count > 0) log(`removed ${count} sessions older than ${rule.olderThan}, ${bytes} bytes`);
}
