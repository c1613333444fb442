import type { Halyard } from "../core/halyard.ts";
import type { HalyardOptions } from "../create-halyard.ts";

/** Where a facade gets its Halyard from. */
export interface HalyardSourceOptions {
  /** One that its owner keeps and disposes of. Without it, one is made when it is first needed. */
  readonly halyard?: Halyard;
  /** What that one is made with. */
  readonly create?: HalyardOptions;
}

/** A Halyard of somebody else's, or one of our own that is made when it is first needed. */
export class HalyardSource implements AsyncDisposable {
  readonly #options: HalyardSourceOptions;
  #own: Promise<Halyard> | undefined;

  constructor(options: HalyardSourceOptions) {
    this.#options = options;
  }

  async open(): Promise<Halyard> {
    const { halyard, create } = this.#options;
    if (halyard) return halyard;
    this.#own ??= import("../create-halyard.ts").then(({ createHalyard }) => createHalyard(create));
    return this.#own;
  }

  /** Ends the one that was made here. Another one is made where it is needed again. */
  async [Symbol.asyncDispose](): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    const halyard = await own?.catch(() => undefined); // whoever asked for it knows why there is none
    await halyard?.[Symbol.asyncDispose]();
  }
}
