import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/real/longest-first.ts";

const tests = ["src/**/*.test.ts", "test/**/*.test.ts"];
const chaos = "test/chaos/**/*.test.ts";
const system = "test/**/*.system.test.ts";
const realPrograms = "src/**/*.real.test.ts";
const containers = "src/**/*.containers.test.ts";
const web = "src/web/**/*.web.test.ts";

/** Pi comes with `npm ci`, but it is a real program: its suites run with the others. */
const pi = ["src/adapters/pi/sdk/sdk.test.ts", "src/adapters/pi/rpc/rpc.test.ts"];

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
          exclude: [realPrograms, containers, chaos, system, web, ...pi],
          maxWorkers: "100%", // by default Vitest leaves one core to itself, which is half of two
          globalSetup: "test/build.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          sequence: { groupOrder: 1 },
          include: [system],
          globalSetup: "test/build.ts",
          testTimeout: 90_000, // packing and installing the package takes long on a busy machine
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "chaos",
          sequence: { groupOrder: 2 },
          include: [chaos],
          globalSetup: "test/build.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "web",
          sequence: { groupOrder: 5 },
          include: [web],
          globalSetup: "test/build.ts",
          testTimeout: 90_000, // Chromium on a busy machine
          maxWorkers: 2, // each file starts a browser
        },
      },
      {
        extends: true,
        test: {
          name: "real",
          sequence: { groupOrder: 3 },
          include: [realPrograms, ...pi],
          globalSetup: ["test/build.ts", "test/real/install.ts"],
          testTimeout: 120_000,
          maxConcurrency: 2, // tests of one file that start several runtimes at once
          maxWorkers: 3, // tests mostly wait for programs; two workers leave 40 % of two cores idle
          retry: 1, // third-party programs on a busy machine may time out
        },
      },
      {
        extends: true,
        test: {
          name: "containers",
          sequence: { groupOrder: 4 },
          include: [containers],
          globalSetup: ["test/build.ts", "test/real/install.ts", "test/containers/setup.ts"],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
