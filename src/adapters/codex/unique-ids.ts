/**
 * Makes ids unique within a turn by appending a number. The ids come from the model, and some gateways start again at
 * `call_0` with every response.
 */
export class UniqueIds {
  readonly #used = new Set<string>();

  /** Returns the id, with a number appended if it was used before. */
  make(id: string): string {
    let unique = id;
    for (let count = 2; this.#used.has(unique); count++) unique = `${id}#${count}`;
    this.#used.add(unique);
    return unique;
  }
}
