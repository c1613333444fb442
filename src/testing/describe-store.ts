import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../core/store.ts";
import { describeClosing } from "./store-suite/closing.ts";
import { describeLog } from "./store-suite/log.ts";
import { describeOwnership } from "./store-suite/ownership.ts";
import { describeSessions } from "./store-suite/sessions.ts";
import { describeSharing } from "./store-suite/sharing.ts";
import { describeWatching } from "./store-suite/watching.ts";

/** An empty store. Disposing of it leaves nothing behind. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** Opens the same data once more, as another process would; where that can be done. */
  open?(): Promise<Store>;
}

/** What a store cannot do, with the reason. */
export interface DescribeStoreOptions {
  /** Why no other process can open the same data, where that is so. */
  readonly unshared?: string;
}

/** What every store owes the core. */
export function describeStore(
  name: string,
  prepare: () => Promise<StoreUnderTest>,
  { unshared }: DescribeStoreOptions = {},
): void {
  describe(name, () => {
    let subject: StoreUnderTest;
    const store = () => subject.store;

    beforeEach(async () => {
      subject = await prepare();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    describe("its log", () => describeLog(store));
    describe("its sessions", () => describeSessions(store));
    describe("the right to write", () => describeOwnership(store));
    describe("watching", () => describeWatching(store));
    describe("closing", () => describeClosing(store));
    describe.skipIf(unshared)(`two of them${unshared ? `: ${unshared}` : ""}`, () =>
      describeSharing(() => {
        if (subject.open === undefined) throw new Error("a store that is shared has to be opened");
        return subject.open();
      }, store),
    );
  });
}
