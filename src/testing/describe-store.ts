import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../contracts/store.ts";
import { describeClosing } from "./store-suite/closing.ts";
import { describeLog } from "./store-suite/log.ts";
import { describeOwnership } from "./store-suite/ownership.ts";
import { describePositions } from "./store-suite/positions.ts";
import { describeSearch } from "./store-suite/search.ts";
import { describeSessions } from "./store-suite/sessions.ts";
import { describeSharing } from "./store-suite/sharing.ts";
import { describeWatching } from "./store-suite/watching.ts";

/** An empty store. Disposing it removes its data. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** Opens the same data again, as another process would. Undefined if the store does not support this. */
  open?(): Promise<Store>;
}

/** Features that a store does not support, with the reason. */
export interface DescribeStoreOptions {
  /** The reason why no other process can open the same data. */
  readonly unshared?: string;
  /** The reason why the positions of consecutive events are not consecutive numbers. */
  readonly sparse?: string;
}

/** Tests the store contract. */
export function describeStore(
  name: string,
  prepare: () => Promise<StoreUnderTest>,
  { unshared, sparse }: DescribeStoreOptions = {},
): void {
  describe(name, () => {
    let subject: StoreUnderTest;
    const store = () => subject.store;

    beforeEach(async () => {
      subject = await prepare();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    describe("log", () => describeLog(store));
    describe.skipIf(sparse)(`positions${sparse ? `: ${sparse}` : ""}`, () =>
      describePositions(store),
    );
    describe("sessions", () => describeSessions(store));
    describe("search", () => describeSearch(store));
    describe("ownership", () => describeOwnership(store));
    describe("watch", () => describeWatching(store));
    describe("close", () => describeClosing(store));
    describe.skipIf(unshared)(
      `two stores with the same data${unshared ? `: ${unshared}` : ""}`,
      () =>
        describeSharing(() => {
          if (subject.open === undefined)
            throw new Error(
              "The store has no `open`. Return it from `prepare`, or pass `unshared`.",
            );
          return subject.open();
        }, store),
    );
  });
}
