import { describe } from "vitest";
import { describeAgentFacade } from "./facade-suite/agent.ts";
import { describeAriFacade } from "./facade-suite/ari.ts";
import type { OpenFacadeStage } from "./facade-suite/facade-stage.ts";
import { describeRunFacade } from "./facade-suite/run.ts";

/** What the three facades owe their users, whichever runtime they stand on. */
export function describeFacades(name: string, open: OpenFacadeStage): void {
  describe("the facades", () => {
    describe(name, { timeout: 120_000 }, () => {
      describeAgentFacade(open);
      describeAriFacade(open);
      describeRunFacade(open);
    });
  });
}
