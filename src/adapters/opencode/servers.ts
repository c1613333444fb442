import type { Server } from "./server.ts";

/** A session's hold on a server. */
export interface Lease {
  readonly server: Server;
  /** Whether nobody else, here or anywhere, would miss the server. */
  isLast(): Promise<boolean>;
  /** The session is over; with the last one, the server is too. */
  release(graceMs: number): Promise<void>;
  /** The session goes on without us, and so does the server. */
  letGo(): Promise<void>;
}

interface Entry {
  readonly server: Promise<Server>;
  users: number;
}

/** The servers that run here, each shared by the sessions of one project that are set up alike. */
export class Servers {
  readonly #entries = new Map<string, Entry>();

  /** Shares the server with that key, or starts one. `session` names the session among all there are. */
  async hire(key: string, session: string, start: () => Promise<Server>): Promise<Lease> {
    const entry = this.#entries.get(key) ?? this.#add(key, start);
    entry.users++;
    try {
      const server = await entry.server;
      await server.files.claim(session);
      return this.#lease(key, entry, server, session);
    } catch (error) {
      entry.users--;
      throw error;
    }
  }

  #add(key: string, start: () => Promise<Server>): Entry {
    const server = start();
    const entry = { server, users: 0 };
    this.#entries.set(key, entry);
    const forget = () => this.#forget(key, entry);
    server.then(({ gone }) => gone.then(forget)).catch(forget);
    return entry;
  }

  #lease(key: string, entry: Entry, server: Server, session: string): Lease {
    let isOver = false;
    const leave = (): boolean => {
      if (isOver) return false;
      isOver = true;
      entry.users--;
      if (entry.users === 0) this.#forget(key, entry); // from here on, who wants one starts another
      return true;
    };
    return {
      server,
      isLast: async () => entry.users === 1 && (await server.files.claims()).length <= 1,
      async release(graceMs) {
        if (!leave()) return;
        await server.files.unclaim(session);
        if (entry.users > 0) return;
        const others = await server.files.claims();
        await (others.length === 0 ? server.stop(graceMs) : server.letGo());
      },
      async letGo() {
        if (leave() && entry.users === 0) await server.letGo();
      },
    };
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
