/**
 * Names that are used once in a turn. What is called `call_0` again is another thing, for the ids are the model's,
 * and there are gateways that begin to count anew with every answer.
 */
export class Names {
  readonly #used = new Set<string>();

  take(id: string): string {
    let name = id;
    for (let count = 2; this.#used.has(name); count++) name = `${id}#${count}`;
    this.#used.add(name);
    return name;
  }
}
