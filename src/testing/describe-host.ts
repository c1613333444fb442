import { describe } from "vitest";
import { describeAttaching } from "./host-suite/attaching.ts";
import { describeEnding } from "./host-suite/ending.ts";
import { createHostTest, type HostUnderTest } from "./host-suite/host-test.ts";
import { describeInput } from "./host-suite/input.ts";
import { describeOutput } from "./host-suite/output.ts";
import { describeStarting } from "./host-suite/starting.ts";

/**
 * What every host owes the core, shown on small real programs. Each test also checks that it left no process
 * behind.
 */
export function describeHost(name: string, host: HostUnderTest): void {
  const test = createHostTest(host);
  describe(`the ${name} host`, { timeout: 60_000 }, () => {
    describe("starting a program", () => describeStarting(test));
    describe("its output", () => describeOutput(test));
    describe("its input", () => describeInput(test));
    describe("its end", () => describeEnding(test));
    describe("finding it again", () => describeAttaching(test, host.module));
  });
}
