import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../contracts/terminal.ts";
import { type Composer, readComposer } from "./delivery/composer.ts";
import type { PermissionHooks } from "./permission-hooks.ts";

/**
 * Watches Claude's permission dialog while a request is open. Claude shows the dialog in addition to calling the hook,
 * and a user may answer the dialog. The transcript reports a rejection within a second. If the dialog closes without a
 * rejection, the user allowed the request.
 */
export class DialogWatch {
  readonly #terminal: Pick<Terminal, "look">;
  readonly #permissions: Pick<PermissionHooks, "first" | "allowedOnScreen">;
  readonly #signal: AbortSignal;
  #isWatching = false;

  constructor(
    terminal: Pick<Terminal, "look">,
    permissions: Pick<PermissionHooks, "first" | "allowedOnScreen">,
    signal: AbortSignal,
  ) {
    this.#terminal = terminal;
    this.#permissions = permissions;
    this.#signal = signal;
  }

  /** Starts watching. Stops automatically after the last request. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#run()
      .catch(() => {}) // if the screen no longer exists, the output reports it
      .finally(() => {
        this.#isWatching = false;
      });
  }

  async #run(): Promise<void> {
    await delay(EVERY_MS);
    /** The id of the request whose dialog was seen last. */
    let shown: string | undefined;
    for (; this.#first !== undefined; await delay(EVERY_MS)) {
      const { request, state } = await this.#look();
      if (state === "dialog") shown = request;
      if (state !== "busy" || shown === undefined || shown !== request) continue;
      await delay(TRANSCRIPT_MS);
      const again = await this.#look(); // returns another request if Halyard answered this one or the user rejected it
      if (again.state === "busy" && again.request === shown)
        this.#permissions.allowedOnScreen(shown);
      shown = undefined;
    }
  }

  /**
   * Returns the screen's state and the id of the oldest open request, or no id if the oldest request changed during the
   * look. A dialog counts as closed only if Claude shows its input box and works, because another view or a redraw may
   * hide an open dialog.
   */
  async #look(): Promise<{ request: string | undefined; state: Composer["state"] }> {
    const before = this.#first;
    const { state } = readComposer(await this.#terminal.look());
    return { request: before === this.#first ? before : undefined, state };
  }

  get #first(): string | undefined {
    return this.#signal.aborted ? undefined : this.#permissions.first;
  }
}

const EVERY_MS = 300;
/** The time within which a rejection appears in the transcript, in milliseconds. */
const TRANSCRIPT_MS = 1_000;
