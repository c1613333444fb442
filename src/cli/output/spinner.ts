import { stderr } from "node:process";
import type { Format } from "../choices.ts";
import type { Terminal } from "../terminal.ts";

/** A sign of life, where the cursor is at the beginning of a line. */
export interface Spinner {
  show(text: string): void;
  hide(): void;
}

export const noSpinner: Spinner = { show() {}, hide() {} };

/** Turns on standard error, but only where a wait has lasted long enough to be noticed. */
export async function createSpinner(): Promise<Spinner> {
  const { default: yoctoSpinner } = await import("yocto-spinner");
  const spinner = yoctoSpinner({ stream: stderr, handleSignals: false });
  let timer: NodeJS.Timeout | undefined;
  const hide = (): void => {
    clearTimeout(timer);
    timer = undefined;
    spinner.stop();
  };
  process.once("exit", hide); // it hides the cursor, and must give it back whatever happens
  return {
    show(text) {
      if (spinner.isSpinning) {
        spinner.text = text;
      } else {
        clearTimeout(timer);
        timer = setTimeout(() => spinner.start(text), NOTICEABLE_MS);
        timer.unref();
      }
    },
    hide,
  };
}

const NOTICEABLE_MS = 150;

/** Shows that something is under way. */
export async function whileSpinning<T>(
  text: string,
  work: () => Promise<T>,
  terminal: Terminal,
  format: Format,
): Promise<T> {
  const spinner = terminal.isLively && format === "text" ? await createSpinner() : noSpinner;
  spinner.show(text);
  try {
    return await work();
  } finally {
    spinner.hide();
  }
}
