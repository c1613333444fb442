interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** The fraction of a delay that is random, from 0 to 1, so that many clients do not retry at the same time. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Returns the delay before the next attempt. `attempt` is 0 after the first failure. */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.5, random = Math.random } = options;
  const delayMs = Math.min(maxMs, baseMs * factor ** attempt);
  return delayMs * (1 - jitter * random());
}
