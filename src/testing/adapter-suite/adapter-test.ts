import { test as base } from "vitest";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { type SharedStage, SharedStageCache } from "./shared-stage.ts";
import { createStage, type Stage } from "./stage.ts";

/** Vitest's `test` with the fixtures `stage` and `shared`. */
export type AdapterTest = ReturnType<typeof createAdapterTest>;

/**
 * Creates a `test` with two fixtures. `stage` is a new stage for each test. `shared` is one stage for all tests of a file,
 * because the start of a runtime is slow.
 */
export function createAdapterTest(runtime: RuntimeUnderTest) {
  return base.extend<{ stage: Stage; cache: SharedStageCache; shared: SharedStage }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    stage: async ({}, use) => {
      await using stage = await createStage(runtime);
      await use(stage);
    },
    cache: [
      // biome-ignore lint/correctness/noEmptyPattern: as above
      async ({}, use) => {
        await using cache = new SharedStageCache(runtime);
        await use(cache);
      },
      { scope: "file" },
    ],
    shared: async ({ cache, task }, use) => {
      const stage = await cache.get();
      stage.model.forget();
      await use(stage);
      if (task.result?.state === "fail") await cache.drop();
    },
  });
}
