import { expect, test } from "vitest";
import { createChannel } from "./channel.ts";

async function read<T>(channel: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const batches: (readonly T[])[] = [];
  for await (const batch of channel) batches.push(batch);
  return batches;
}

test("yields all waiting items in one batch, in order", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.push(2);
  channel.end();
  expect(await read(channel)).toEqual([[1, 2]]);
});

test("wakes a waiting reader when an item is pushed", async () => {
  const channel = createChannel<number>();
  const reading = read(channel);
  await Promise.resolve();
  channel.push(1);
  channel.end();
  expect(await reading).toEqual([[1]]);
});

test("throws the error after the items that were pushed before it, and ignores later calls", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.end(new Error("gone"));
  channel.end();
  channel.push(2);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of channel) seen.push(...batch);
  })();
  await expect(reading).rejects.toThrow("gone");
  expect(seen).toEqual([1]);
});
