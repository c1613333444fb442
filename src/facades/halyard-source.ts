import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import type { HalyardOptions } from "../create-halyard.ts";

/** Where a facade gets its Halyard from. */
export interface HalyardSourceOptions {
  /** One that its owner keeps and disposes of. Without it, one is made when it is first needed. */
  readonly halyard?: Halyard | undefined;
  /** Options of that Halyard. It reads the configuration files unless `config` is given. */
  readonly create?: HalyardOptions | undefined;
}

/** A Halyard of somebody else's, or one of our own that is made when it is first needed. */
export class HalyardSource implements AsyncDisposable {
  readonly #options: HalyardSourceOptions;
  #own: Promise<Halyard> | undefined;
  #isClosed = false;

  constructor(options: HalyardSourceOptions) {
    this.#options = options;
  }

  async open(): Promise<Halyard> {
    const { halyard } = this.#options;
    if (halyard) return halyard;
    if (this.#isClosed) throw new HalyardError("invalid_input", "this was closed; make another");
    this.#own ??= this.#create();
    return this.#own;
  }

  /** Ends the one that was made here. No other is made. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const own = this.#own;
    this.#own = undefined;
    const halyard = await own?.catch(() => undefined); // whoever asked for it knows why there is none
    await halyard?.[Symbol.asyncDispose]();
  }

  async #create(): Promise<Halyard> {
    try {
      const [{ createHalyard }, { createConfigReader }] = await Promise.all([
        import("../create-halyard.ts"),
        import("../config/reader.ts"),
      ]);
      const { create = {} } = this.#options;
      const { env, home } = create;
      const places = { ...(env && { env }), ...(home !== undefined && { home }) };
      const config = createConfigReader({ root: process.cwd(), ...places });
      return await createHalyard({ config, ...create });
    } catch (error) {
      this.#own = undefined; // what is missing may be there next time
      throw error;
    }
  }
}
