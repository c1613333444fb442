import { test as base } from "vitest";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { KeptStage, type SharedStage } from "./shared-stage.ts";
import { createStage, type Stage } from "./stage.ts";

export type AdapterTest = ReturnType<typeof createAdapterTest>;

/** A test gets a `stage` of its own, or the one that is `shared`, which saves most of what it takes to start a runtime. */
export function createAdapterTest(runtime: RuntimeUnderTest) {
  return base.extend<{ stage: Stage; kept: KeptStage; shared: SharedStage }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures needed from here
    stage: async ({}, use) => {
      await using stage = await createStage(runtime);
      await use(stage);
    },
    kept: [
      // biome-ignore lint/correctness/noEmptyPattern: as above
      async ({}, use) => {
        await using kept = new KeptStage(runtime);
        await use(kept);
      },
      { scope: "file" },
    ],
    shared: async ({ kept, task }, use) => {
      const stage = await kept.get();
      stage.model.forget();
      await use(stage);
      if (task.result?.state === "fail") await kept.drop();
    },
  });
}
