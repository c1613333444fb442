import type { BrowserStore, ListeningServer } from "../server/index.ts";
import { PagePort } from "./page-port.ts";

export interface SharePortOptions {
  /** The file that stores the port, so that links stay valid after a restart. */
  readonly file: string;
  readonly listen: (port: number) => Promise<ListeningServer>;
  /** Stores the links and the browsers that are signed in. */
  readonly browsers: BrowserStore;
  readonly now: () => Date;
}

/** The interval at which the daemon checks whether a link still needs the port, in milliseconds. */
const SWEEP_MS = 60_000;

/** The port on which other machines read shared sessions. It is open only while a link for other machines is valid. */
export class SharePort implements AsyncDisposable {
  readonly #options: SharePortOptions;
  #port: PagePort | undefined;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: SharePortOptions) {
    this.#options = options;
  }

  /** True while the port is open or is being opened. False if it could not be opened. */
  get isOpen(): boolean {
    return this.#port?.isOpen ?? false;
  }

  /** Opens the port if it is closed, and returns its address. */
  open(): Promise<string> {
    return this.#opened().open();
  }

  /** If a link for other machines is still valid, opens the port that the previous daemon used. Rejects if the port is in use. */
  async reopen(): Promise<void> {
    if (await this.#isNeeded()) await this.#opened().reopen();
  }

  /** Closes the port if no link for other machines is valid. */
  async closeIfUnused(): Promise<void> {
    if (!(await this.#isNeeded())) await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweep);
    const port = this.#port;
    this.#port = undefined;
    await port?.[Symbol.asyncDispose]();
  }

  #opened(): PagePort {
    if (this.#port) return this.#port;
    const { file, listen } = this.#options;
    this.#port = new PagePort({ file, listen, onOpen: async () => {} });
    const sweep = () => void this.closeIfUnused().catch(() => {}); // ignored, because the next sweep retries
    this.#sweep = setInterval(sweep, SWEEP_MS).unref();
    return this.#port;
  }

  async #isNeeded(): Promise<boolean> {
    const { browsers, now } = this.#options;
    return (await browsers.read()).some(
      ({ share, expiresAt }) => share?.exposed === true && new Date(expiresAt) > now(),
    );
  }
}
