import { createHalyard } from "./create-halyard.ts";
import { fakeAdapter } from "./testing/fake/index.ts";
import { newFixture } from "./testing/halyard/fixture.ts";
import { describeHalyard } from "./testing/halyard/index.ts";

describeHalyard("Halyard in process", () =>
  newFixture((home) => createHalyard({ home, env: {}, adapters: [fakeAdapter()] })),
);
