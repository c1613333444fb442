/** A queue from callbacks to one async loop. Yields items in order. Each batch contains all waiting items. */
export interface AsyncChannel<T> extends AsyncIterable<readonly T[]> {
  push(item: T): void;
  /**
   * Ends the channel. The loop reads the waiting items, then ends, or throws `error`. Only the first call has an
   * effect.
   */
  end(error?: unknown): void;
}

/** Creates an empty channel that one loop can read. */
export function createChannel<T>(): AsyncChannel<T> {
  let waiting: T[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = () => {};

  async function* batches(): AsyncGenerator<readonly T[]> {
    while (true) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        yield batch;
      } else if (ended === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ("error" in ended) {
        throw ended.error;
      } else {
        return;
      }
    }
  }

  return {
    push(item) {
      if (ended !== undefined) return;
      waiting.push(item);
      wake();
    },
    end(error?: unknown) {
      if (ended !== undefined) return;
      ended = error === undefined ? {} : { error };
      wake();
    },
    [Symbol.asyncIterator]: batches,
  };
}
