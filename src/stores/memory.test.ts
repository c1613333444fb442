import { expect, test } from "vitest";
import { describeStore } from "../testing/describe-store.ts";
import { MemoryStore } from "./memory.ts";

describeStore(
  "the store in memory",
  async () => {
    const store = new MemoryStore();
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
  { unshared: "memory belongs to one process" },
);

test("recommends a new instance if the store is closed", async () => {
  const store = new MemoryStore();
  await store[Symbol.asyncDispose]();
  await expect(store.list()).rejects.toMatchObject({
    code: "store_failed",
    message:
      "The store in memory is closed. Create a new Halyard instance, or open the store again.",
  });
});
