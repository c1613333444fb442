import { stderr } from "node:process";
import type { Format } from "../choices.ts";
import type { Console } from "../console/console.ts";
import { formatAge } from "../text/format.ts";

/** A spinner with a text on standard error. */
export interface Spinner {
  /** Shows a text. If `text` is a function, the spinner calls it again every second. */
  show(text: string | (() => string)): void;
  hide(): void;
}

/** A spinner that shows nothing. */
export const noSpinner: Spinner = { show() {}, hide() {} };

/** Creates a spinner that becomes visible 150 ms after `show`. */
export async function createSpinner(): Promise<Spinner> {
  const { default: yoctoSpinner } = await import("yocto-spinner");
  const spinner = yoctoSpinner({ stream: stderr, handleSignals: false });
  let timer: NodeJS.Timeout | undefined;
  let text = () => "";
  const clock = setInterval(() => {
    if (spinner.isSpinning) spinner.text = text();
  }, 1000).unref();
  const hide = (): void => {
    clearTimeout(timer);
    timer = undefined;
    spinner.stop();
  };
  process.once("exit", () => {
    clearInterval(clock);
    hide(); // also shows the cursor again
  });
  return {
    show(next) {
      text = typeof next === "string" ? () => next : next;
      if (spinner.isSpinning) {
        spinner.text = text();
      } else {
        clearTimeout(timer);
        timer = setTimeout(() => spinner.start(text()), DELAY_MS).unref();
      }
    },
    hide,
  };
}

const DELAY_MS = 150;

/** Shows a spinner with the elapsed time while `work` runs, if the format is `text` and the console can animate. */
export async function whileSpinning<T>(
  text: string,
  work: () => Promise<T>,
  console: Console,
  format: Format,
): Promise<T> {
  const spinner = console.canAnimate && format === "text" ? await createSpinner() : noSpinner;
  const sinceMs = Date.now();
  spinner.show(() => `${text} · ${formatAge(Date.now() - sinceMs)}`);
  try {
    return await work();
  } finally {
    spinner.hide();
  }
}
