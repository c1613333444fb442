import { describe } from "vitest";
import { describeAttaching } from "./host-suite/attaching.ts";
import { describeEnding } from "./host-suite/ending.ts";
import { createHostTest, type HostUnderTest } from "./host-suite/host-test.ts";
import { describeInput } from "./host-suite/input.ts";
import { describeOutput } from "./host-suite/output.ts";
import { describeStarting } from "./host-suite/starting.ts";

/**
 * Tests the host contract with small real programs. Each test also checks that no process survives it.
 */
export function describeHost(name: string, host: HostUnderTest): void {
  const test = createHostTest(host);
  describe(`${name} host`, { timeout: 60_000 }, () => {
    describe("start", () => describeStarting(test));
    describe("output", () => describeOutput(test));
    describe("input", () => describeInput(test));
    describe("end", () => describeEnding(test));
    describe("attach", () => describeAttaching(test, host.module));
  });
}
