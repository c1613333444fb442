import { textPieces } from "./text-pieces.ts";

const encoder = new TextEncoder();

/**
 * Yields a JSON document that contains a list, while the list is being read. `before` is the text before the list;
 * `after` returns the text after it.
 */
export async function* jsonList<T>(
  batches: AsyncIterable<readonly T[]>,
  before: string,
  after: (last: T | undefined) => string,
): AsyncGenerator<Uint8Array> {
  let last: T | undefined;
  yield encoder.encode(before);
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const isFirst = last === undefined;
    last = batch.at(-1) ?? last;
    yield* textPieces(items(batch, isFirst));
  }
  yield encoder.encode(after(last));
}

/** Yields the items as JSON Lines, encoded in pieces. */
export async function* jsonLines<T>(
  batches: AsyncIterable<readonly T[]>,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    yield* textPieces(lines(batch));
  }
}

function* items(batch: readonly unknown[], isFirst: boolean): Generator<string> {
  for (const [index, item] of batch.entries())
    yield `${isFirst && index === 0 ? "" : ","}${JSON.stringify(item)}`;
}

function* lines(batch: readonly unknown[]): Generator<string> {
  for (const item of batch) yield `${JSON.stringify(item)}\n`;
}

/** Yields at most `limit` items. */
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
