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
