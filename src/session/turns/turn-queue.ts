import type { OpenTurn } from "./open-turn.ts";

/** Turns that wait for the running one to end. Turns that interrupt it come first, in their order. */
export class TurnQueue implements Iterable<OpenTurn> {
  readonly #turns: OpenTurn[] = [];
  /** The number of turns at the front that interrupt. */
  #urgent = 0;

  add(turn: OpenTurn, { interrupt }: { interrupt: boolean }): void {
    if (interrupt) this.#turns.splice(this.#urgent++, 0, turn);
    else this.#turns.push(turn);
  }

  /** Removes and returns the next turn. */
  next(): OpenTurn | undefined {
    return this.#take(0);
  }

  /** Removes a turn. */
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
