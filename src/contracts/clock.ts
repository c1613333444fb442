/** Provides the current time. Passed in as a value, so that tests can control the time. */
export interface Clock {
  now(): Date;
  /** A monotonic time in milliseconds, for durations. */
  elapsedMs(): number;
}
