import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../core/store.ts";
import { describeSharedStore } from "./describe-shared-store.ts";
import { SampleLog } from "./sample-log.ts";
import { sampleBlock, sampleDelta, sampleProcess, sampleSession } from "./sample-session.ts";

/** An empty store, and how to open the same data once more as another process would. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  open(): Promise<Store>;
}

export interface DescribeStoreOptions {
  /** Why no other process can open the same data, where that is so. */
  readonly unshared?: string;
}

const [a, b, c, d, e, f] = ["a", "b", "c", "d", "e", "f"].map(sampleDelta);

/** What every store owes the core. */
export function describeStore(
  name: string,
  prepare: () => Promise<StoreUnderTest>,
  options: DescribeStoreOptions = {},
): void {
  describe(name, () => {
    let subject: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      subject = await prepare();
      store = subject.store;
    });
    afterEach(() => subject[Symbol.asyncDispose]());
  });
}
