import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../contracts/terminal.ts";
import { readComposer } from "./composer.ts";
import type { PermissionHooks } from "./permission-hooks.ts";

/**
 * Watches Claude's permission dialog while a request is open. Claude shows the dialog in addition to calling the hook, and a
 * user may answer it. A rejection is in the transcript at once, so a dialog that closes without one was allowed.
 */
export class DialogWatch {
  readonly #terminal: Terminal;
  readonly #permissions: PermissionHooks;
  readonly #signal: AbortSignal;
  #isWatching = false;

  constructor(terminal: Terminal, permissions: PermissionHooks, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#permissions = permissions;
    this.#signal = signal;
  }

  /** Starts watching. Stops by itself after the last request. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#run()
      .catch(() => {}) // the screen no longer exists; the output reports it
      .finally(() => {
        this.#isWatching = false;
      });
  }

  async #run(): Promise<void> {
    await delay(EVERY_MS);
    /** The id of the request whose dialog was seen last. */
    let shown: string | undefined;
    for (; this.#first !== undefined; await delay(EVERY_MS)) {
      const asked = shown;
      shown = (await this.#hasDialog()) ? this.#first : undefined;
      if (asked === undefined || shown !== undefined) continue;
      await delay(TRANSCRIPT_MS);
      const isSame = asked === this.#first; // otherwise we answered it, or the user rejected it
      if (isSame && !(await this.#hasDialog())) this.#permissions.allowedOnScreen(asked);
    }
  }

  async #hasDialog(): Promise<boolean> {
    return readComposer(await this.#terminal.look()).state === "dialog";
  }

  get #first(): string | undefined {
    return this.#signal.aborted ? undefined : this.#permissions.first;
  }
}

const EVERY_MS = 300;
/** The time in which a rejection appears in the transcript. */
const TRANSCRIPT_MS = 1_000;
