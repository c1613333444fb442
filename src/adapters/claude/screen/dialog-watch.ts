import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../core/terminal.ts";
import { readComposer } from "./composer.ts";
import type { PermissionHooks } from "./permission-hooks.ts";

/**
 * Watches Claude's dialog while a request is open: Claude shows it beside the hook that asks us, and a person may answer
 * there. A refusal is in the transcript at once, so a dialog that is gone without one was allowed.
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

  /** Starts watching; it ends by itself with the last request. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#run()
      .catch(() => {}) // the screen is gone, which is reported elsewhere
      .finally(() => {
        this.#isWatching = false;
      });
  }

  async #run(): Promise<void> {
    await delay(EVERY_MS);
    /** The request whose dialog was seen last. */
    let shown: string | undefined;
    for (; this.#first !== undefined; await delay(EVERY_MS)) {
      const asked = shown;
      shown = (await this.#hasDialog()) ? this.#first : undefined;
      if (asked === undefined || shown !== undefined) continue;
      await delay(TRANSCRIPT_MS);
      const isSame = asked === this.#first; // else it was answered by us, or refused
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
/** How long a refusal may take to be in the transcript. */
const TRANSCRIPT_MS = 1_000;
