import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/real/longest-first.ts";

const tests = ["src/**/*.test.ts", "test/**/*.test.ts"];
const chaos = "test/chaos/**/*.test.ts";
const realPrograms = "src/**/*.real.test.ts";
const containers = "src/**/*.containers.test.ts";

/** Pi is a real program too, and is in both: it needs no fetching. */
const pi = ["src/adapters/pi/sdk.test.ts", "src/adapters/pi/rpc.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          include: tests,
          exclude: [realPrograms, containers, chaos],
          globalSetup: "test/build.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          sequence: { groupOrder: 1 },
          include: [chaos],
          globalSetup: "test/build.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "real",
          sequence: { groupOrder: 2 },
          include: [realPrograms, ...pi],
          globalSetup: ["test/build.ts", "test/real/install.ts"],
          testTimeout: 120_000,
          maxWorkers: 3, // they mostly wait for programs: two leave 40 % of two cores idle
          retry: 1, // programs that are not ours, on a machine that may be busy
        },
      },
      {
        extends: true,
        test: {
          name: "containers",
          sequence: { groupOrder: 3 },
          include: [containers],
          globalSetup: ["test/build.ts", "test/real/install.ts", "test/containers/setup.ts"],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
