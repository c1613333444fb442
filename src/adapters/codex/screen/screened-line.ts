import { HalyardError } from "../../../core/error.ts";
import type { Exit, Health, HostProcess, ProcessIdentity } from "../../../core/host.ts";
import { look, shown } from "../../../core/look.ts";
import type { Terminal } from "../../../core/terminal.ts";

/** The line to Codex's server and the screen beside it, as one program: they end together. */
export class ScreenedLine implements HostProcess {
  readonly #line: HostProcess;
  #terminal: Terminal | undefined;
  #isLeft = false;
  /** What the screen showed when somebody closed it. */
  #lastWords: string | undefined;

  constructor(line: HostProcess, terminal?: Terminal) {
    this.#line = line;
    if (terminal) this.#watch(terminal);
  }

  /** Opens the screen; rejects with what it shows where it does not come up. */
  async show(open: () => Promise<Terminal>): Promise<void> {
    const terminal = await open();
    this.#watch(terminal);
    const isUp = await Promise.race([
      look(terminal, ({ lines }) => lines.some((line) => line.includes("›")), UP_MS),
      terminal.exit.then(() => undefined),
    ]);
    if (isUp) return;
    const words = this.#lastWords ?? shown(await terminal.look());
    throw new HalyardError("start_failed", `Codex's screen did not come up: ${words}`);
  }

  get identity(): ProcessIdentity {
    return this.#line.identity;
  }

  get exit(): Promise<Exit> {
    return this.#line.exit;
  }

  output(options?: Parameters<HostProcess["output"]>[0]) {
    return this.#line.output(options);
  }

  async release(before: number): Promise<void> {
    await this.#line.release?.(before);
  }

  async stderrTail(): Promise<string> {
    if (this.#lastWords === undefined) return this.#line.stderrTail();
    return `its screen was closed. It showed last:\n${this.#lastWords}`;
  }

  write(text: string): Promise<void> {
    return this.#line.write(text);
  }

  health(): Promise<Health> {
    return this.#line.health();
  }

  async terminate(options: { graceMs: number }): Promise<void> {
    this.#isLeft = true;
    await Promise.all([this.#terminal?.terminate(options), this.#line.terminate(options)]);
  }

  async detach(): Promise<void> {
    this.#isLeft = true;
    await Promise.all([this.#terminal?.detach(), this.#line.detach()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate({ graceMs: GRACE_MS });
  }

  #watch(terminal: Terminal): void {
    this.#terminal = terminal;
    void terminal.exit.then(async () => {
      if (this.#isLeft) return;
      this.#lastWords = await terminal.look().then(shown, () => "");
      await this[Symbol.asyncDispose]();
    });
  }
}

/** A screen that has not come up by then may wait for a person, and the session can do without. */
const UP_MS = 15_000;
const GRACE_MS = 5_000;
