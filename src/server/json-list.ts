const encoder = new TextEncoder();

/** A JSON document with a list in it, written as the list is read: `before` and `after` are its two halves. */
export async function* jsonList<T>(
  batches: AsyncIterable<readonly T[]>,
  before: string,
  after: (last: T | undefined) => string,
): AsyncGenerator<Uint8Array> {
  let last: T | undefined;
  yield encoder.encode(before);
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const comma = last === undefined ? "" : ",";
    last = batch.at(-1) ?? last;
    yield encoder.encode(comma + batch.map((item) => JSON.stringify(item)).join(","));
  }
  yield encoder.encode(after(last));
}

/** One JSON value per line. */
export async function* jsonLines<T>(
  batches: AsyncIterable<readonly T[]>,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    yield encoder.encode(batch.map((item) => `${JSON.stringify(item)}\n`).join(""));
  }
}

/** At most so many of them. */
export async function* atMost<T>(
  batches: AsyncIterable<readonly T[]>,
  limit: number,
): AsyncGenerator<readonly T[]> {
  let left = limit;
  for await (const batch of batches) {
    yield batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}
