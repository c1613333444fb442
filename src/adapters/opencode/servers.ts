import type { Server } from "./server.ts";
import type { ServerFiles } from "./server-files.ts";

/** What there has to be of a server for it to be shared. */
interface Shared extends Pick<Server, "gone" | "stop" | "letGo"> {
  readonly files: Pick<ServerFiles, "claim" | "unclaim" | "claims">;
}

/** A session's hold on a server. */
export interface Lease<S extends Shared = Server> {
  readonly server: S;
  /** Whether nobody else, here or anywhere, would miss the server. */
  isLast(): Promise<boolean>;
  /** The session is over; with the last one, the server is too. */
  release(graceMs: number): Promise<void>;
  /** The session goes on without us, and so does the server. */
  letGo(): Promise<void>;
}

interface Entry<S> {
  readonly server: Promise<S>;
  users: number;
  /** Kept once those who have left have no claim any more. */
  left: Promise<unknown>;
}

/** The servers that run here, each shared by the sessions of one project that are set up alike. */
export class Servers<S extends Shared = Server> {
  readonly #entries = new Map<string, Entry<S>>();

  /** Shares the server with that key, or starts one. `session` names the session among all there are. */
  async hire(key: string, session: string, start: () => Promise<S>): Promise<Lease<S>> {
    const entry = this.#entries.get(key) ?? this.#add(key, start);
    entry.users++;
    try {
      const server = await entry.server;
      await server.files.claim(session);
      return this.#lease(key, entry, server, session);
    } catch (error) {
      if (--entry.users === 0) await this.#abandon(key, entry);
      throw error;
    }
  }

  /** One that nobody could take hold of. */
  async #abandon(key: string, entry: Entry<S>): Promise<void> {
    this.#forget(key, entry);
    const server = await entry.server.catch(() => undefined); // whoever wanted it is told why there is none
    await server?.stop(0);
  }

  #add(key: string, start: () => Promise<S>): Entry<S> {
    const server = start();
    const entry = { server, users: 0, left: Promise.resolve() };
    this.#entries.set(key, entry);
    const forget = () => this.#forget(key, entry);
    server.then(({ gone }) => gone.then(forget)).catch(forget);
    return entry;
  }

  #lease(key: string, entry: Entry<S>, server: S, session: string): Lease<S> {
    let isOver = false;
    /** Says whether that was the last user; one who has left already is not. */
    const leave = (): boolean => {
      if (isOver) return false;
      isOver = true;
      entry.users--;
      if (entry.users === 0) this.#forget(key, entry); // from here on, who wants one starts another
      return entry.users === 0;
    };
    return {
      server,
      isLast: async () => entry.users === 1 && (await server.files.claims()).length <= 1,
      async release(graceMs) {
        if (isOver) return;
        const isLast = leave();
        const unclaimed = server.files.unclaim(session);
        entry.left = Promise.allSettled([entry.left, unclaimed]);
        await unclaimed;
        if (!isLast) return;
        await entry.left;
        const others = await server.files.claims();
        await (others.length === 0 ? server.stop(graceMs) : server.letGo());
      },
      async letGo() {
        if (leave()) await server.letGo();
      },
    };
  }

  #forget(key: string, entry: Entry<S>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
