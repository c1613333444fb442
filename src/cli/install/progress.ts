import type { Console } from "../console/console.ts";
import { createSpinner } from "../output/spinner.ts";

/** Shows the progress of an installation: a spinner on a console, otherwise one line every 10 s. */
export async function showProgress(
  console: Console,
): Promise<{ update: (responses: number) => void } & AsyncDisposable> {
  const startedAt = performance.now();
  let responses = 0;
  const text = (): string => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    return `${seconds} s, ${responses} ${responses === 1 ? "response" : "responses"} from the registry`;
  };
  const spinner = console.canAnimate ? await createSpinner() : undefined;
  const report = () =>
    // The sink drops text if stderr is closed.
    spinner ? spinner.show(text()) : void console.err.write(`  ${text()}\n`).catch(() => {});
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
