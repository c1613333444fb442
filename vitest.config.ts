import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { memoryDisk } from "./test/memory-disk.ts";

const cores = availableParallelism();
const tests = ["src/**/*.test.ts", "test/**/*.test.ts"];
const chaos = "test/chaos/**/*.test.ts";
const system = ["src/**/*.system.test.ts", "test/**/*.system.test.ts"];
const realPrograms = "src/**/*.real.test.ts";
const attacks = "src/**/*.attack.test.ts";
const recovery = "src/**/*.recovery.test.ts";
const install = "test/install/**/*.test.ts";
const containers = "src/**/*.containers.test.ts";
const cluster = "src/**/*.cluster.test.ts";
const web = "src/web/**/*.web.test.ts";

/** Pi comes with `npm ci`, but it is a real program: its suites run with the others. */
const pi = ["src/adapters/pi/sdk/sdk.test.ts", "src/adapters/pi/rpc/rpc.test.ts"];

/** The settings of the suites that start the real programs. */
const onRealPrograms = {
  globalSetup: ["test/build.ts", "test/real/install.ts"],
  testTimeout: 120_000,
  isolate: false, // loads the modules once per worker, as in the unit tests
  setupFiles: "test/clean-worker.ts",
  execArgv: ["--expose-gc"],
  maxConcurrency: 2, // tests of one file that start several runtimes at once
  maxWorkers: cores + 2, // tests mostly wait for programs
  retry: 1, // third-party programs on a busy machine may time out
};

export default defineConfig({
  test: {
    testTimeout: 60_000, // a guard against hangs; most tests take less than a second
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } }, // the default of 1 s is too short for a busy machine
    sequence: { sequencer: LongestFirst },
    experimental: { fsModuleCache: true }, // transforms only the files that have changed since the last run
    // One flaky test of 7,000 must not cost a run of 40 minutes. The reporter lists every test that needed its retry.
    retry: process.env.CI ? 1 : 0,
    reporters: ["default", "./test/retried-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          include: tests,
          exclude: [
            realPrograms,
            attacks,
            recovery,
            containers,
            chaos,
            web,
            cluster,
            install,
            ...system,
            ...pi,
          ],
          // Workers load each module once. Modules have no mutable state that a file could leave to the next one.
          isolate: false,
          unstubEnvs: true,
          restoreMocks: true,
          maxWorkers: cores + 1, // tests also wait for programs
          globalSetup: ["test/build.ts", "test/memory-disk.ts"],
          env: memoryDisk === undefined ? {} : { TMPDIR: memoryDisk },
          setupFiles: "test/clean-worker.ts",
          execArgv: ["--expose-gc"],
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          sequence: { groupOrder: 1 },
          include: system,
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
          name: "cluster",
          sequence: { groupOrder: 6 },
          include: [cluster],
          globalSetup: "test/build.ts",
          testTimeout: 90_000, // leases expire and servers elect leaders
          maxWorkers: 2, // each file starts NATS servers
        },
      },
      {
        extends: true,
        test: {
          name: "real",
          sequence: { groupOrder: 3 },
          include: [realPrograms, ...pi],
          ...onRealPrograms,
        },
      },
      {
        extends: true,
        test: {
          name: "attacks",
          sequence: { groupOrder: 8 },
          include: [attacks],
          ...onRealPrograms,
        },
      },
      {
        extends: true,
        test: {
          name: "recovery",
          sequence: { groupOrder: 9 },
          include: [recovery],
          ...onRealPrograms,
        },
      },
      {
        extends: true,
        test: {
          name: "install",
          sequence: { groupOrder: 7 },
          include: [install],
          globalSetup: "test/build.ts",
          testTimeout: 300_000, // npm downloads and builds packages
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
