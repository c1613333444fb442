import type { Reporter, TestCase } from "vitest/node";

/** Lists the tests that passed only after a retry, with the errors of the failed attempts. Each points to a bug or a race. */
class RetriedReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const isRetried = (test.diagnostic()?.retryCount ?? 0) > 0;
    const { state, errors = [] } = test.result();
    if (!isRetried || state !== "passed") return;
    const reasons = errors.map(
      ({ message, stacks: [at] = [] }) =>
        `    ${message.slice(0, MOST_CHARACTERS)}${at ? ` (${at.file}:${at.line})` : ""}\n`,
    );
    this.#retried.push(`  ${test.module.relativeModuleId} > ${test.fullName}\n${reasons.join("")}`);
  }

  onTestRunEnd(): void {
    if (this.#retried.length === 0) return;
    process.stdout.write(`\nPassed only after a retry:\n${this.#retried.join("")}`);
  }
}

const MOST_CHARACTERS = 500;

// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default RetriedReporter;
