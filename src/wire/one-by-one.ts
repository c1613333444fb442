/** What comes in batches, until the signal is given. */
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
