/** The calls of a test that have not returned yet. If the test takes too long, they show what the test waits for. */
export class PendingCalls {
  readonly #calls = new Set<PendingCall>();

  /** Runs a call, and lists it until it has settled. */
  async track<T>(name: string, run: (call: PendingCall) => Promise<T>): Promise<T> {
    const call: PendingCall = { name, startedAt: performance.now(), note: "" };
    this.#calls.add(call);
    try {
      return await run(call);
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Returns a line for each call, with its age. */
  describe(): string[] {
    return [...this.#calls].map(({ name, startedAt, note }) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      return `${name} for ${seconds} s${note === "" ? "" : `; ${note}`}`;
    });
  }
}

export interface PendingCall {
  readonly name: string;
  readonly startedAt: number;
  /** The number of attempts and the last error. */
  note: string;
}
