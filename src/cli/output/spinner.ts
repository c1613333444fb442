import { stderr } from "node:process";
import type { Format } from "../choices.ts";
import type { Terminal } from "../terminal.ts";
import { age } from "./words.ts";

/** A sign of life at the beginning of a line. */
export interface Spinner {
  /** Shows a text; a function is called again every second. */
  show(text: string | (() => string)): void;
  hide(): void;
}

export const noSpinner: Spinner = { show() {}, hide() {} };

/** Spins on standard error after 150 ms of waiting. */
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
    hide(); // it hides the cursor, and must give it back
  });
  return {
    show(next) {
      text = typeof next === "string" ? () => next : next;
      if (spinner.isSpinning) {
        spinner.text = text();
      } else {
        clearTimeout(timer);
        timer = setTimeout(() => spinner.start(text()), NOTICEABLE_MS).unref();
      }
    },
    hide,
  };
}

const NOTICEABLE_MS = 150;

/** Shows that something is in progress, and for how long. */
export async function whileSpinning<T>(
  text: string,
  work: () => Promise<T>,
  terminal: Terminal,
  format: Format,
): Promise<T> {
  const spinner = terminal.isLively && format === "text" ? await createSpinner() : noSpinner;
  const sinceMs = Date.now();
  spinner.show(() => `${text} · ${age(Date.now() - sinceMs)}`);
  try {
    return await work();
  } finally {
    spinner.hide();
  }
}
