import type { Session } from "../../contracts/halyard.ts";
import { errorTable } from "../../schema/error-table.ts";
import type { Console } from "../console/console.ts";

/** Handles Ctrl-C and termination signals until disposal. Prints the effect of each Ctrl-C on standard error. */
export function openInterrupts({ err }: Console): Interrupts {
  return new Interrupts({
    // The sink drops text if stderr is closed.
    print: (text) => void err.write(`\n${err.colors.yellow(text)}\n`).catch(() => {}),
    exit: () => process.exit(errorTable.cancelled.exitCode),
  });
}

export interface InterruptsOptions {
  /** Prints the effect of an interrupt, and of the next one. */
  readonly print: (text: string) => void;
  /** Exits the process immediately. */
  readonly exit: () => void;
}

/**
 * Handles the interrupts of a command: the first Ctrl-C cancels the turn, the second one stops the session, and the third
 * one ends the process. SIGTERM and SIGHUP stop the session.
 */
export class Interrupts implements Disposable {
  readonly #options: InterruptsOptions;
  #level: "none" | "cancel" | "stop" = "none";
  #session: Session | undefined;
  #print: (text: string) => void;

  constructor(options: InterruptsOptions) {
    this.#options = options;
    this.#print = options.print;
    process.on("SIGINT", this.interrupt);
    for (const signal of terminations) process.on(signal, this.#terminate);
  }

  /** True after the first interrupt or termination signal. */
  get isRequested(): boolean {
    return this.#level !== "none";
  }

  /** Sets the session to cancel or stop. If an interrupt has already occurred, cancels or stops it immediately. */
  watch(session: Session): void {
    this.#session = session;
    if (this.#level === "cancel") this.#cancel();
    if (this.#level === "stop") this.#stop("terminated");
  }

  /** Uses `print` for all later messages. */
  printWith(print: (text: string) => void): void {
    this.#print = print;
  }

  readonly interrupt = (): void => {
    switch (this.#level) {
      case "none":
        this.#level = "cancel";
        this.#print("Cancelling the turn. Press Ctrl-C again to stop the session.");
        this.#cancel();
        break;
      case "cancel":
        this.#level = "stop";
        this.#print("Stopping the session. Press Ctrl-C again to exit immediately.");
        this.#stop("interrupted");
        break;
      case "stop":
        this.#options.exit();
    }
  };

  [Symbol.dispose](): void {
    process.off("SIGINT", this.interrupt);
    for (const signal of terminations) process.off(signal, this.#terminate);
  }

  readonly #terminate = (): void => {
    if (this.#level === "stop") return;
    this.#level = "stop";
    this.#stop("terminated");
  };

  #cancel(): void {
    this.#session?.interrupt().catch(() => {}); // the outcome of the turn reports the error
  }

  #stop(reason: string): void {
    this.#session?.stop(reason).catch(() => {}); // the outcome of the turn reports the error
  }
}

const terminations = ["SIGTERM", "SIGHUP"] as const;
