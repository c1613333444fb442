import { createSpinner } from "../output/spinner.ts";
import type { Terminal } from "../terminal.ts";

/** Shows how far an installation is: with a spinner on a terminal, otherwise with a line every ten seconds. */
export async function showProgress(
  terminal: Terminal,
): Promise<{ update: (responses: number) => void } & AsyncDisposable> {
  const startedAt = performance.now();
  let responses = 0;
  const text = (): string => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    return `${seconds} s, ${responses} ${responses === 1 ? "response" : "responses"} from the registry`;
  };
  const spinner = terminal.isLively ? await createSpinner() : undefined;
  const report = () =>
    spinner ? spinner.show(text()) : void terminal.err.write(`  ${text()}\n`).catch(() => {}); // nobody reads it
  const timer = setInterval(report, spinner ? 1000 : LINE_MS);
  return {
    update(count) {
      responses = count;
      spinner?.show(text());
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      spinner?.hide();
    },
  };
}

const LINE_MS = 10_000;
