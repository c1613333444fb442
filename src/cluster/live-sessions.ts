import type { Store, Writer } from "../contracts/store.ts";
import { hasEnded } from "../log/projection.ts";
import { isOwned } from "./sessions-claimed-elsewhere.ts";

/**
 * Tracks the live sessions that this process writes to, without reading the store. Reports a session when a write fails
 * because another process has claimed the session.
 */
export class LiveSessions {
  readonly #ids = new Set<string>();
  readonly #onLost: (id: string) => void;

  /** `onLost` is called with the id of a session that another process has claimed. */
  constructor({ onLost }: { readonly onLost: (id: string) => void }) {
    this.#onLost = onLost;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Returns a store that works like the given one. This object tracks the sessions that the returned store writes. */
  watch(store: Store): Store {
    const counted = (writer: Writer, id: string): Writer => ({
      append: async (block) => {
        await writer.append(block).catch((error: unknown) => {
          if (isOwned(error)) this.#onLost(id);
          throw error;
        });
        if (hasEnded(block.info)) this.#ids.delete(id);
        else this.#ids.add(id);
      },
      release: () => {
        this.#ids.delete(id);
        return writer.release();
      },
    });
    return new Proxy(store, {
      get: (target, name) => {
        if (name === "create")
          return async (...given: Parameters<Store["create"]>) =>
            counted(await target.create(...given), given[0].id);
        if (name === "claim")
          return async (...given: Parameters<Store["claim"]>) =>
            counted(await target.claim(...given), given[0]);
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }
}
