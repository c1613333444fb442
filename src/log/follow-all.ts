import { Wake } from "../async/wake.ts";
import type { FollowOptions } from "../contracts/read-log.ts";
import type { PositionedEvent, Store } from "../contracts/store.ts";
import { requireWhole } from "../errors/parse-input.ts";

const PAGE = 1000;

/**
 * Yields the events of all sessions after the position `after`, in the order in which they were written. Waits for new
 * events until `signal` is aborted. If `follow` is false, ends after the last existing event.
 */
export async function* followAll(
  store: Store,
  { after = 0, follow = true, signal }: FollowOptions,
): AsyncGenerator<PositionedEvent> {
  requireWhole("after", after);
  const wake = new Wake();
  const unwatch = store.watch(() => wake.notify());
  const forget = wake.notifyAt(signal);
  let cursor = after;
  try {
    while (!signal?.aborted) {
      const version = wake.version;
      const page = await store.readAll({ after: cursor, limit: PAGE });
      for (const positioned of page) {
        if (signal?.aborted) return;
        cursor = positioned.position;
        yield positioned;
      }
      if (page.length > 0) continue;
      if (!follow) return;
      await wake.after(version);
    }
  } finally {
    unwatch();
    forget();
  }
}
