/** Yields the items of batches one at a time, until the signal is aborted. */
export async function* oneByOne<T>(
  batches: AsyncIterable<readonly T[]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  for await (const batch of batches) {
    for (const each of batch) {
      if (signal?.aborted) return;
      yield each;
    }
  }
}
