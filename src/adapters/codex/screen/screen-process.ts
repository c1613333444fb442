import { look, shown } from "../../../adapter-kit/look.ts";
import type { Exit, Health, HostProcess, ProcessIdentity } from "../../../contracts/host.ts";
import type { Terminal } from "../../../contracts/terminal.ts";
import { HalyardError } from "../../../errors/error.ts";

/** Combines the proxy to Codex's server and the screen into one process. When the screen closes, the proxy is terminated. */
export class ScreenProcess implements HostProcess {
  readonly #proxy: HostProcess;
  #terminal: Terminal | undefined;
  #isReleased = false;
  /** The last content of the screen. Set only if the screen closed before the session released it. */
  #lastContent: string | undefined;

  constructor(proxy: HostProcess, terminal?: Terminal) {
    this.#proxy = proxy;
    if (terminal) this.#watch(terminal);
  }

  /** Opens the screen. Rejects with `start_failed` and the screen's content if Codex exits before its prompt appears. */
  async show(open: () => Promise<Terminal>): Promise<void> {
    const terminal = await open();
    this.#watch(terminal);
    const isUp = await Promise.race([
      look(terminal, ({ lines }) => lines.some((line) => line.includes("›")), UP_MS),
      terminal.exit.then(() => undefined),
    ]);
    if (isUp) return;
    const content = this.#lastContent ?? shown(await terminal.look());
    const message = `Codex exited while it opened its screen. Correct the error that the screen shows, and start the session again:\n${content}`;
    throw new HalyardError("start_failed", message);
  }

  get identity(): ProcessIdentity {
    return this.#proxy.identity;
  }

  get exit(): Promise<Exit> {
    return this.#proxy.exit;
  }

  output(options?: Parameters<HostProcess["output"]>[0]) {
    return this.#proxy.output(options);
  }

  async release(before: number, range?: { readonly from?: number }): Promise<void> {
    await this.#proxy.release?.(before, range);
  }

  async stderrTail(): Promise<string> {
    if (this.#lastContent === undefined) return this.#proxy.stderrTail();
    return `its screen was closed. Its last content:\n${this.#lastContent}`;
  }

  write(text: string): Promise<void> {
    return this.#proxy.write(text);
  }

  health(): Promise<Health> {
    return this.#proxy.health();
  }

  async terminate(options: { graceMs: number }): Promise<void> {
    this.#isReleased = true;
    await Promise.all([this.#terminal?.terminate(options), this.#proxy.terminate(options)]);
  }

  async detach(): Promise<void> {
    this.#isReleased = true;
    await Promise.all([this.#terminal?.detach(), this.#proxy.detach()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate({ graceMs: GRACE_MS });
  }

  #watch(terminal: Terminal): void {
    this.#terminal = terminal;
    void terminal.exit.then(async () => {
      if (this.#isReleased) return;
      this.#lastContent = await terminal.look().then(shown, () => "");
      await this[Symbol.asyncDispose]();
    });
  }
}

/**
 * The maximum time to wait for the screen, in milliseconds. After that, the session starts anyway, because the
 * screen may be waiting for a user.
 */
const UP_MS = 15_000;
const GRACE_MS = 5_000;
