import { Wake } from "../async/wake.ts";
import type { Store } from "../contracts/store.ts";
import type { SessionId } from "../schema/id.ts";
import type { FollowSource } from "./follow.ts";
import { hasEnded } from "./projection.ts";

/** Returns a source that reads a session's log from the store. Another process may append to the log. */
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
