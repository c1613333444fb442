import type { StreamEvent } from "../schema/event.ts";

/** Options for reading a log: where to start, whether to wait for more events, and a signal. */
export interface FollowOptions {
  /** Yields only events after this `seq`, or after this position for `allEvents`. Defaults to 0, the beginning. */
  readonly after?: number | undefined;
  /** True to wait for more events at the end of the log. Defaults to true. */
  readonly follow?: boolean | undefined;
  /** Ends the iteration when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The end of a window of a log, and its size. */
export interface WindowOptions {
  /** The window ends before the event with this `seq`. Defaults to the end of the log. */
  readonly before?: number | undefined;
  /** The maximum number of events, at most 10,000. Defaults to 500. */
  readonly limit?: number | undefined;
}

/** Consecutive events of a log, with the `seq` of the first and the last one. */
export interface EventWindow {
  /** The events in order. Empty only at the beginning of the log. */
  readonly events: readonly StreamEvent[];
  /** The `seq` of the first event, or 1 if the window is empty. Pass it as `before` to read the previous window. */
  readonly first: number;
  /**
   * The `seq` of the last event, or 0 if the window is empty. Pass it as `after` to read the events after this window.
   */
  readonly last: number;
}
