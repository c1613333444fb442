interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** The share of a delay left to chance, 0 to 1, so that many waiters do not come back at once. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** How long to wait after the given number of failures before it, 0 for the first. */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.5, random = Math.random } = options;
  const delayMs = Math.min(maxMs, baseMs * factor ** attempt);
  return delayMs * (1 - jitter * random());
}
