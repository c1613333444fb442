import type { OpenTurn } from "./open-turn.ts";

/**
 * Turns that wait for the running turn to end. Turns that interrupt the running turn come first, in the order in which
 * they were sent.
 */
export class TurnQueue implements Iterable<OpenTurn> {
  readonly #turns: OpenTurn[] = [];
  /** The number of interrupting turns at the front of the queue. */
  #urgent = 0;

  add(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    if (interrupt) this.#turns.splice(this.#urgent++, 0, turn);
    else this.#turns.push(turn);
  }

  next(): OpenTurn | undefined {
    return this.#take(0);
  }

  remove(turn: OpenTurn): void {
    this.#take(this.#turns.indexOf(turn));
  }

  [Symbol.iterator](): Iterator<OpenTurn> {
    return this.#turns[Symbol.iterator]();
  }

  #take(at: number): OpenTurn | undefined {
    if (at < this.#urgent) this.#urgent--;
    return this.#turns.splice(at, 1)[0];
  }
}
