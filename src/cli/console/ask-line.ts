import { createInterface } from "node:readline";
import { type ConsoleInput, takePendingInput } from "./pending-input.ts";

export interface AskOptions {
  readonly input: ConsoleInput;
  readonly output: NodeJS.WritableStream;
  /** Cancels the question. */
  readonly signal?: AbortSignal;
  /** Called for Ctrl-C, which a console in raw mode does not turn into a signal. */
  readonly onInterrupt: () => void;
}

/**
 * Asks a question on the console and returns the line that was typed after the question was drawn. Discards earlier
 * input, and draws the question when nothing has been typed for 200 ms. Text that was typed ahead therefore never counts
 * as an answer. Returns undefined if the question was cancelled or the console was closed.
 */
export async function askLine(question: string, options: AskOptions): Promise<string | undefined> {
  await discardInput(options);
  return options.signal?.aborted ? undefined : readLine(question, options);
}

const QUIET_MS = 200;

/** Discards input until nothing has been typed for 200 ms, the question is cancelled, or the input ends. */
function discardInput({ input, signal, onInterrupt }: AskOptions): Promise<void> {
  input.setRawMode(true); // makes unfinished lines readable, and disables the echo
  return new Promise((resolve) => {
    const finish = (): void => {
      if (takePendingInput(input) !== "" && !signal?.aborted) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      input.off("data", onData);
      input.off("end", finish);
      signal?.removeEventListener("abort", finish);
      if (signal?.aborted) {
        input.setRawMode(false);
        input.pause();
      }
      resolve();
    };
    const onData = (data: unknown): void => {
      timer.refresh();
      if (String(data).includes(CTRL_C)) onInterrupt();
    };
    const timer = setTimeout(finish, QUIET_MS);
    input.on("data", onData);
    input.on("end", finish);
    signal?.addEventListener("abort", finish, { once: true });
  });
}

const CTRL_C = "\u0003";

function readLine(question: string, options: AskOptions): Promise<string | undefined> {
  const { input, output, signal, onInterrupt } = options;
  return new Promise((resolve) => {
    const reader = createInterface({ input, output });
    const close = (): void => reader.close();
    reader.on("SIGINT", onInterrupt);
    let answer: string | undefined;
    reader.once("close", () => {
      signal?.removeEventListener("abort", close);
      if (answer === undefined) output.write("\n");
      resolve(answer);
    });
    signal?.addEventListener("abort", close, { once: true });
    reader.question(question, (line) => {
      answer = line;
      reader.close();
    });
  });
}
