import { z } from "zod";
import { readClaimFile, writeJson } from "../claims/json-file.ts";
import { SignedInBrowser } from "../schema/http/sign-in.ts";
import type { BrowserStore, ListeningServer } from "../server/index.ts";

/** The port of the page if no port is configured or stored. */
export const DEFAULT_PORT = 4747;

export interface PagePortOptions {
  /** The file that stores the port, so that the address of the page stays the same. */
  readonly file: string;
  readonly listen: (port: number) => Promise<ListeningServer>;
  /** Called with the address when the port is open. */
  readonly onOpen: (url: string) => Promise<void>;
}

const PageRecord = z.strictObject({ port: z.number().int().positive() });

/**
 * A port that is closed until `open` or `reopen` is called. A background daemon opens its port when a command needs the
 * page, or when the daemon starts while a browser is signed in. `SharePort` uses another port for shared sessions.
 */
export class PagePort implements AsyncDisposable {
  readonly #options: PagePortOptions;
  #opening: Promise<ListeningServer> | undefined;

  constructor(options: PagePortOptions) {
    this.#options = options;
  }

  /** True while the port is open or is being opened. */
  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /** Opens the port if it is closed, and returns its address. Tries the stored port, the default port and a free port. */
  async open(): Promise<string> {
    const remembered = await this.#remembered();
    const others = [DEFAULT_PORT, 0].filter((port) => port !== remembered);
    const ports = remembered === undefined ? others : [remembered, ...others];
    return (await this.#openFirst(ports)).url;
  }

  /**
   * Opens the stored port, which the previous daemon used, and returns its address. Returns undefined if no port is
   * stored. Rejects if another program uses the port.
   */
  async reopen(): Promise<string | undefined> {
    const remembered = await this.#remembered();
    return remembered === undefined ? undefined : (await this.#openFirst([remembered])).url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const listener = await this.#opening?.catch(() => undefined); // rejects if the port could not be opened
    await listener?.close();
  }

  #openFirst(ports: readonly number[]): Promise<ListeningServer> {
    this.#opening ??= this.#listen(ports).catch((error) => {
      this.#opening = undefined; // so that the next call retries
      throw error;
    });
    return this.#opening;
  }

  async #listen([port = 0, ...others]: readonly number[]): Promise<ListeningServer> {
    const { file, listen, onOpen } = this.#options;
    let listener: ListeningServer | undefined;
    try {
      listener = await listen(port);
      await writeJson(file, { port: Number(new URL(listener.url).port) });
      await onOpen(listener.url);
      return listener;
    } catch (error) {
      await listener?.close();
      if (others.length === 0) throw error;
      return this.#listen(others);
    }
  }

  async #remembered(): Promise<number | undefined> {
    return (await readClaimFile(this.#options.file, PageRecord))?.port;
  }
}

/** Returns a store of the signed-in browsers in a file that only the user can read. The file contains digests, not secrets. */
export function browserFile(file: string): BrowserStore {
  return {
    read: async () => (await readClaimFile(file, z.array(SignedInBrowser))) ?? [],
    write: (browsers) => writeJson(file, browsers),
  };
}
