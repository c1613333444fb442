import { describe } from "vitest";
import type { OpenFacadeStage } from "./compat-suite/compat-stage.ts";
import { describeAriFacade } from "./compat-suite/gas-town.ts";
import { describeRunFacade } from "./compat-suite/openclaw.ts";
import { describeAgentFacade } from "./compat-suite/oubliette.ts";

/** Tests a runtime against the contracts of the three facades in `halyard/compat`. */
export function describeCompat(name: string, open: OpenFacadeStage): void {
  describe("facades", () => {
    describe(name, { timeout: 120_000 }, () => {
      describeAgentFacade(open);
      describeAriFacade(open);
      describeRunFacade(open);
    });
  });
}
