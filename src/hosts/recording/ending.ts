/** Terminates a program once for all callers, and kills it after the shortest of their grace periods. */
export class Ending {
  readonly #end: (insist: AbortSignal) => Promise<void>;
  readonly #insist = new AbortController();
  #underWay: Promise<void> | undefined;

  /** `end` requests termination and kills the program when `insist` is aborted. */
  constructor(end: (insist: AbortSignal) => Promise<void>) {
    this.#end = end;
  }

  /** The termination in progress. Undefined if none was requested. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  async within(graceMs: number): Promise<void> {
    const grace = setTimeout(() => this.#insist.abort(), Math.min(graceMs, LONGEST_TIMER_MS));
    this.#underWay ??= this.#end(this.#insist.signal);
    await this.#underWay.finally(() => clearTimeout(grace));
  }
}

/** The default grace period in milliseconds. */
export const DEFAULT_GRACE_MS = 5_000;

/** The maximum delay of a timer in milliseconds. Node fires a longer timer immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
