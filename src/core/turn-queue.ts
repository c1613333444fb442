import type { OpenTurn } from "./open-turn.ts";

/** Turns that wait for the one under way to end. Those that are there to interrupt it go first, in their order. */
export class TurnQueue implements Iterable<OpenTurn> {
  readonly #turns: OpenTurn[] = [];
  /** So many of the first are there to interrupt. */
  #urgent = 0;

  add(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    if (interrupt) this.#turns.splice(this.#urgent++, 0, turn);
    else this.#turns.push(turn);
  }

  /** The next one, which waits no longer. */
  next(): OpenTurn | undefined {
    return this.#take(0);
  }

  /** It need not wait any more. */
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
