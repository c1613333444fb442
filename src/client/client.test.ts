import { openServed } from "../../test/http/open-served.ts";
import { newFixture } from "../testing/halyard/fixture.ts";
import { describeHalyard } from "../testing/halyard/index.ts";

// `test/http/over-tcp.system.test.ts` runs the same suite over TCP.
describeHalyard("Halyard over a unix socket", () =>
  newFixture((home, count) => openServed(home, { socketPath: `${home}-${count}.sock` })),
);
