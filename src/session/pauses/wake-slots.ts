import type { Clock } from "../../contracts/clock.ts";
import type { WakeTimes } from "../../contracts/halyard-parts.ts";

/**
 * Assigns the times at which waiting turns continue. No two turns of one Halyard instance continue in the same second.
 * Otherwise all sessions of an account would send requests at the moment when the limit of the account resets.
 */
export class WakeSlots implements WakeTimes {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** The seconds that have been assigned. */
  readonly #taken = new Set<number>();

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Reserves a free second after the reset of a limit. Adds a random delay of at most a tenth of the wait, and
   * at most 30 s.
   */
  takeAfter(resetMs: number): number {
    const waitMs = Math.max(0, resetMs - this.#clock.now().getTime());
    const jitterMs = this.#random() * Math.min(waitMs / 10, LONGEST_JITTER_MS);
    return this.take(resetMs + jitterMs);
  }

  /** Reserves the first free second at or after a time. A time in the past is replaced by the current time. */
  take(timeMs: number): number {
    const now = this.#clock.now().getTime();
    for (const second of this.#taken) if (second < secondOf(now)) this.#taken.delete(second);
    let slotMs = Math.max(timeMs, now);
    while (this.#taken.has(secondOf(slotMs))) slotMs += SECOND_MS;
    this.#taken.add(secondOf(slotMs));
    return slotMs;
  }
}

const SECOND_MS = 1000;
const LONGEST_JITTER_MS = 30_000;

function secondOf(timeMs: number): number {
  return Math.floor(timeMs / SECOND_MS);
}
