/** What time it is: passed in, so that nothing below the surface asks the machine. */
export interface Clock {
  now(): Date;
  /** Milliseconds that only ever go up, for durations. */
  elapsedMs(): number;
}
