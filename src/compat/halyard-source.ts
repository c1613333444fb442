import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { HalyardOptions } from "../halyard-options.ts";

/** Options that select the Halyard instance for a compatibility interface. */
export interface HalyardSourceOptions {
  /** The caller's instance, which the caller disposes. If omitted, an instance is created when it is first needed. */
  readonly halyard?: Halyard | undefined;
  /** Options for the instance to create. The instance reads the configuration files if `config` is not set. */
  readonly create?: HalyardOptions | undefined;
}

interface Reach {
  /**
   * True if the created instance accepts commands for its sessions from other processes of the user. Defaults to false.
   */
  readonly isReachable?: boolean;
}

/** Provides the caller's Halyard instance, or creates one when it is first needed. */
export class HalyardSource implements AsyncDisposable {
  readonly #options: HalyardSourceOptions;
  /**
   * The directory from which the configuration is read. Recorded when the source is created, because the process may
   * change its working directory later.
   */
  readonly #root = process.cwd();
  #own: Promise<Halyard> | undefined;
  #isClosed = false;

  readonly #isReachable: boolean;

  constructor(options: HalyardSourceOptions, { isReachable = false }: Reach = {}) {
    this.#options = options;
    this.#isReachable = isReachable;
  }

  async open(): Promise<Halyard> {
    const { halyard } = this.#options;
    if (halyard) return halyard;
    if (this.#isClosed)
      throw new HalyardError("invalid_input", "This runtime is closed. Create a new runtime.");
    this.#own ??= this.#create();
    return this.#own;
  }

  /**
   * Creates another instance after the disposal, for a reader that has not finished. The caller disposes it. Returns
   * undefined before the disposal, or if the caller provided the instance.
   */
  openForReading(): Promise<Halyard> | undefined {
    return this.#isClosed && !this.#options.halyard ? this.#create() : undefined;
  }

  /**
   * Disposes the instance that was created here. Afterward, `open` rejects unless the caller provided the instance.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const own = this.#own;
    this.#own = undefined;
    const halyard = await own?.catch(() => undefined); // the caller of open received the error
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
      const paths = { ...(env && { env }), ...(home !== undefined && { home }) };
      const config = createConfigReader({ root: this.#root, ...paths });
      const halyard = await createHalyard({ config, ...create });
      return await this.#serve(halyard);
    } catch (error) {
      this.#own = undefined; // the next call tries again
      throw error;
    }
  }

  /**
   * Makes the instance's sessions reachable from other processes, if `isReachable` is true and other processes can find
   * the sessions.
   */
  async #serve(halyard: Halyard): Promise<Halyard> {
    const { store = "sqlite" } = this.#options.create ?? {};
    const { home } = halyard;
    if (!this.#isReachable || store !== "sqlite" || home === undefined) return halyard;
    const { serveOwner } = await import("../server/serve-owner.ts");
    return serveOwner(halyard, { home, onProblem: () => {} }); // if this fails, other processes receive `session_owned`
  }
}
