import type { SessionId } from "../schema/id.ts";
import type { FollowSource } from "./follow.ts";
import { hasEnded } from "./projection.ts";
import type { Store } from "./store.ts";
import { Wake } from "./wake.ts";

/** The log of a session that some other process may be writing. */
export function storeSource(store: Store, id: SessionId): FollowSource {
  const wake = new Wake();
  return {
    open(signal) {
      const unwatch = store.watch(() => wake.notify());
      const forget = wake.notifyAt(signal);
      return () => {
        unwatch();
        forget();
      };
    },
    get version() {
      return wake.version;
    },
    changed: (version) => wake.after(version),
    read: (after, limit) => store.read(id, { after, limit }),
    async isOver() {
      const record = await store.find(id);
      return record === undefined || hasEnded(record.info);
    },
  };
}
