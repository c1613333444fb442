import type { Session } from "../core/halyard.ts";
import { errorTable } from "../schema/error-table.ts";
import type { Terminal } from "./terminal.ts";

/** Listens for whoever wants the command to end. */
export function openInterrupts({ err }: Terminal): Interrupts {
  return new Interrupts({
    say: (text) => void err.write(`\n${err.colors.yellow(text)}\n`).catch(() => {}), // nobody there to tell
    exit: () => process.exit(errorTable.cancelled.exitCode),
  });
}

export interface InterruptsOptions {
  /** Tells whoever pressed the keys what happens next. */
  readonly say: (text: string) => void;
  /** Ends the process without further ado. */
  readonly exit: () => void;
}

/**
 * Ctrl-C cancels the turn, a second one stops the session, a third one waits for nothing. A request to terminate,
 * or a terminal that goes away, stops the session.
 */
export class Interrupts implements Disposable {
  readonly #options: InterruptsOptions;
  #level: "none" | "cancel" | "stop" = "none";
  #session: Session | undefined;
  #say: (text: string) => void;

  constructor(options: InterruptsOptions) {
    this.#options = options;
    this.#say = options.say;
    process.on("SIGINT", this.interrupt);
    for (const signal of endings) process.on(signal, this.#terminate);
  }

  /** Somebody wants an end. */
  get isRequested(): boolean {
    return this.#level !== "none";
  }

  /** Sets the session whose turns are cancelled and that is stopped. Acts at once if that was requested before. */
  watch(session: Session): void {
    this.#session = session;
    if (this.#level === "cancel") this.#cancel();
    if (this.#level === "stop") this.#stop("terminated");
  }

  /** Shows what happens next by `say` from now on. */
  sayBy(say: (text: string) => void): void {
    this.#say = say;
  }

  readonly interrupt = (): void => {
    switch (this.#level) {
      case "none":
        this.#level = "cancel";
        this.#say("cancelling the turn; Ctrl-C again stops the session at once");
        this.#cancel();
        break;
      case "cancel":
        this.#level = "stop";
        this.#say("stopping the session; Ctrl-C again waits for nothing");
        this.#stop("interrupted");
        break;
      case "stop":
        this.#options.exit();
    }
  };

  [Symbol.dispose](): void {
    process.off("SIGINT", this.interrupt);
    for (const signal of endings) process.off(signal, this.#terminate);
  }

  readonly #terminate = (): void => {
    if (this.#level === "stop") return;
    this.#level = "stop";
    this.#stop("terminated");
  };

  #cancel(): void {
    this.#session?.interrupt().catch(() => {}); // the turn's outcome tells of it
  }

  #stop(reason: string): void {
    this.#session?.stop(reason).catch(() => {}); // the turn's outcome tells of it
  }
}

const endings = ["SIGTERM", "SIGHUP"] as const;
