/** A way from callbacks to a loop: what is pushed comes out in order, in batches of all that was waiting. One reader. */
export interface Channel<T> extends AsyncIterable<readonly T[]> {
  push(item: T): void;
  /** Nothing more will be pushed; what waits is still read, then the loop ends, or throws `error`. The first end counts. */
  end(error?: unknown): void;
}

export function createChannel<T>(): Channel<T> {
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
