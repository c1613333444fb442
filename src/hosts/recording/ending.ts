/** The end of a program: one for all who ask for it, after the shortest of the graces they give. */
export class Ending {
  readonly #end: (insist: AbortSignal) => Promise<void>;
  readonly #insist = new AbortController();
  #underWay: Promise<void> | undefined;

  /** `end` asks the program to end, and does not ask any more once it is to `insist`. */
  constructor(end: (insist: AbortSignal) => Promise<void>) {
    this.#end = end;
  }

  /** Once somebody has asked for it. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  async within(graceMs: number): Promise<void> {
    const grace = setTimeout(() => this.#insist.abort(), Math.min(graceMs, LONGEST_TIMER_MS));
    this.#underWay ??= this.#end(this.#insist.signal);
    await this.#underWay.finally(() => clearTimeout(grace));
  }
}

/** For whoever does not say. */
export const DEFAULT_GRACE_MS = 5_000;

/** A longer one would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
