import { defineConfig } from "vitest/config";

const tests = ["src/**/*.test.ts", "test/**/*.test.ts"];
const realPrograms = "src/**/*.real.test.ts";

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "unit", include: tests, exclude: [realPrograms] } },
      { extends: true, test: { name: "real", include: [realPrograms], testTimeout: 120_000 } },
    ],
  },
});
