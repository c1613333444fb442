import { expect, test } from "vitest";
import { createChannel } from "./channel.ts";

async function read<T>(channel: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const batches: (readonly T[])[] = [];
  for await (const batch of channel) batches.push(batch);
  return batches;
}

test("what waits comes out in one batch, in order", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.push(2);
  channel.end();
  expect(await read(channel)).toEqual([[1, 2]]);
});

test("a reader that waits is woken", async () => {
  const channel = createChannel<number>();
  const reading = read(channel);
  await Promise.resolve();
  channel.push(1);
  channel.end();
  expect(await reading).toEqual([[1]]);
});

test("an error comes after all that was pushed before it, and the first end counts", async () => {
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
