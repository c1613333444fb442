interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** The factor by which the delay grows after each attempt. Defaults to 2. */
  readonly factor?: number;
  /**
   * The maximum fraction by which a delay is randomly reduced, from 0 to 1, so that many clients do not retry at the
   * same time. Defaults to 0.5.
   */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Returns the delay before the next attempt, in milliseconds. `attempt` is 0 after the first failure. */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.5, random = Math.random } = options;
  const delayMs = Math.min(maxMs, baseMs * factor ** attempt);
  return delayMs * (1 - jitter * random());
}
