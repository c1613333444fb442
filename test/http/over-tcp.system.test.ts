import { newFixture } from "../../src/testing/halyard/fixture.ts";
import { describeHalyard } from "../../src/testing/halyard/index.ts";
import { openServed } from "./open-served.ts";

describeHalyard("Halyard over TCP", () => newFixture((home) => openServed(home, { port: 0 })));
