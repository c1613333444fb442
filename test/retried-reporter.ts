import type { Reporter, TestCase } from "vitest/node";

/** Lists the tests that passed only when they were repeated. Each of them has a fault or a race to be found. */
class RetriedReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const isRetried = (test.diagnostic()?.retryCount ?? 0) > 0;
    if (isRetried && test.result().state === "passed")
      this.#retried.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#retried.length === 0) return;
    const list = this.#retried.map((name) => `  ${name}\n`).join("");
    process.stdout.write(`\nPassed only when repeated:\n${list}`);
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default RetriedReporter;
