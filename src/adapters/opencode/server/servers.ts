import type { Server } from "./server.ts";
import type { ServerFiles } from "./server-files.ts";

/** The members of a server that are needed to share it. */
interface SharedServer extends Pick<Server, "gone" | "stop" | "detach"> {
  readonly files: Pick<ServerFiles, "claim" | "unclaim" | "claims" | "retire">;
}

/** A session's claim on a server. */
export interface Lease<S extends SharedServer = Server> {
  readonly server: S;
  /** True if no other session, in this or another process, uses the server. */
  isLast(): Promise<boolean>;
  /** Removes the session's claim. Stops the server if it was the last claim. */
  release(graceMs: number): Promise<void>;
  /** Stops using the server. The claim stays, and the server continues to run. */
  detach(): Promise<void>;
}

interface Entry<S> {
  readonly server: Promise<S>;
  users: number;
  /** Resolves when all released sessions' claims are removed. */
  left: Promise<unknown>;
}

/** The servers that sessions in this process use. A project's sessions with the same settings share a server. */
export class Servers<S extends SharedServer = Server> {
  readonly #entries = new Map<string, Entry<S>>();

  /**
   * Leases the server for a key. Calls `start` to start or find the server if no session in this process uses it.
   * `session` is a name that no other session has, in this or another process.
   */
  async lease(key: string, session: string, start: () => Promise<S>): Promise<Lease<S>> {
    const entry = this.#entries.get(key) ?? this.#add(key, start);
    entry.users++;
    try {
      const server = await entry.server;
      await server.files.claim(session);
      return this.#lease(key, entry, server, session);
    } catch (error) {
      if (--entry.users === 0) await this.#abandon(key, entry, session);
      throw error;
    }
  }

  /**
   * Called if a lease fails and no other session in this process uses the server. Removes the claim that `start` may have
   * added. Stops the server if it has started and no session of another process has a claim.
   */
  async #abandon(key: string, entry: Entry<S>, session: string): Promise<void> {
    this.#forget(key, entry);
    const server = await entry.server.catch(() => undefined); // the caller of lease() receives the error
    if (server === undefined) return;
    await entry.left;
    const mustStop = await server.files
      .unclaim(session)
      .then(() => server.files.retire())
      .catch(() => false); // the caller of lease() receives the error of the claim, and other sessions may use the server
    await (mustStop ? server.stop(0) : server.detach());
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
    let hasLeft = false;
    /** Decrements the number of users. Returns true if the last user in this process has left. */
    const leave = (): boolean => {
      if (hasLeft) return false;
      hasLeft = true;
      entry.users--;
      if (entry.users === 0) this.#forget(key, entry); // so that the next lease starts or finds a server
      return entry.users === 0;
    };
    return {
      server,
      isLast: async () => entry.users === 1 && (await server.files.claims()).length <= 1,
      async release(graceMs) {
        if (hasLeft) return;
        const isLast = leave();
        const unclaimed = server.files.unclaim(session);
        entry.left = Promise.allSettled([entry.left, unclaimed]);
        await unclaimed;
        if (!isLast) return;
        await entry.left;
        await ((await server.files.retire()) ? server.stop(graceMs) : server.detach());
      },
      async detach() {
        if (leave()) await server.detach();
      },
    };
  }

  #forget(key: string, entry: Entry<S>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
