import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { typeable } from "../../adapter-kit/typeable.ts";
import { anySignal } from "../../async/any-signal.ts";
import type { Chunk, Exit, Health, ProcessIdentity } from "../../contracts/host.ts";
import type { Screen, Terminal } from "../../contracts/terminal.ts";
import { watchForeignProcess } from "../local/exit-watch.ts";
import { healthOfProcess } from "../local/process-identity.ts";
import { ProcessTree } from "../local/process-tree.ts";
import { terminateTree } from "../local/terminate.ts";
import { DEFAULT_GRACE_MS, Ending } from "../recording/ending.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { withLock } from "../recording/lock.ts";
import { tail } from "../recording/tail.ts";
import type { Pane } from "./pane.ts";
import type { PasteWatch } from "./paste-watch.ts";
import type { Tmux } from "./tmux.ts";
import { fitWindow } from "./window-size.ts";

export interface TerminalParts {
  readonly tmux: Tmux;
  /** The name of the tmux session. */
  readonly name: string;
  readonly pane: Pane;
  readonly pastes?: PasteWatch | undefined;
  readonly identity: ProcessIdentity;
  readonly marker: string;
}

/** A program in its own pane. */
export class TmuxTerminal implements Terminal {
  readonly identity: ProcessIdentity;
  readonly viewCommand: readonly string[];
  readonly #tmux: Tmux;
  readonly #name: string;
  readonly #pane: Pane;
  readonly #pastes: PasteWatch | undefined;
  readonly #tree: ProcessTree;
  readonly #watch: ExitWatch;
  readonly #ending = new Ending((insist) => this.#end(insist));

  constructor({ tmux, name, pane, pastes, identity, marker }: TerminalParts) {
    this.identity = identity;
    this.viewCommand = tmux.viewCommand(name);
    this.#tmux = tmux;
    this.#name = name;
    this.#pane = pane;
    this.#pastes = pastes;
    this.#tree = new ProcessTree(identity, marker);
    this.#watch = watchForeignProcess(identity);
  }

  async look({ styles = false }: { readonly styles?: boolean } = {}): Promise<Screen> {
    const seen = await this.#pane.run((id) => [
      ...fitWindow(id),
      ["display-message", "-p", "-t", id, STATE],
      ["capture-pane", "-p", ...(styles ? ["-e"] : []), "-t", id],
    ]);
    const [state = "", ...lines] = seen.replace(/\n$/, "").split("\n");
    const [, row, column, scrolled, title = ""] = /^(\d+) (\d+) (\d*) (.*)$/.exec(state) ?? [];
    return {
      lines: lines.map((line) => line.trimEnd()),
      title,
      cursor: { row: Number(row), column: Number(column) },
      scrolled: scrolled ? Number(scrolled) : undefined,
    };
  }

  async read(from: number, to: number): Promise<readonly string[]> {
    const { scrolled = 0 } = await this.look();
    const range = ["-S", String(from - scrolled), "-E", String(to - 1 - scrolled)];
    const text = await this.#pane.run((id) => [["capture-pane", "-p", "-J", ...range, "-t", id]]);
    return text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => line.trimEnd());
  }

  get marksPastes(): boolean {
    return this.#pastes?.areMarked ?? false;
  }

  /**
   * Pastes text. If the program has enabled bracketed paste, it receives the text as one paste, so that it does not
   * execute the first line before the rest has arrived.
   */
  async paste(text: string): Promise<void> {
    const buffer = `halyard-${randomBytes(8).toString("hex")}`;
    await this.#tmux.tryRun(["set-buffer", "-b", buffer, "--", typeable(text)]);
    try {
      await this.#pane.run((id) => [
        ["copy-mode", "-q", "-t", id], // leaves copy mode, in case a user is scrolling
        ["paste-buffer", "-p", "-d", "-b", buffer, "-t", id],
      ]);
    } catch (error) {
      await this.#tmux.tryRun(["delete-buffer", "-b", buffer]);
      throw error;
    }
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.#pane.run((id) => [
      ["copy-mode", "-q", "-t", id],
      ["send-keys", "-t", id, ...keys],
    ]);
  }

  async *follow(
    file: string,
    { from = 0, signal }: { from?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<Chunk> {
    const { ended } = this.#watch;
    this.#watch.hold();
    const signals = signal ? [signal] : [];
    while (!existsSync(file)) {
      if (ended.aborted || signal?.aborted) return;
      await pause(LOOK_EVERY_MS, anySignal([ended, ...signals]));
    }
    yield* tail(file, { from, ended, signals });
  }

  exclusively<T>(action: () => Promise<T>): Promise<T> {
    return withLock(`${this.#tmux.socket}/${this.#name}`, action);
  }

  get exit(): Promise<Exit> {
    this.#watch.hold();
    return this.#watch.exit.then(() => this.#exitStatus());
  }

  async health(): Promise<Health> {
    return this.#watch.ended.aborted ? "dead" : healthOfProcess(this.identity);
  }

  /** Ends the program and closes its screen. */
  async terminate({ graceMs }: { graceMs: number }): Promise<void> {
    await this.#ending.within(graceMs);
  }

  async detach(): Promise<void> {
    this.#watch.close();
    this.#pastes?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate({ graceMs: DEFAULT_GRACE_MS });
  }

  async #end(insist: AbortSignal): Promise<void> {
    await terminateTree(this.#tree, { insist, ended: this.#watch.ended });
    this.#watch.check();
    this.#watch.close();
    this.#pastes?.close();
    await this.#pane.close(this.#name);
  }

  /**
   * Returns the exit status. tmux receives it slightly later than the kernel, and sometimes only when another child of
   * the server exits, so this method starts a short-lived child. Returns an empty object if tmux does not report the
   * status in 20 attempts.
   */
  async #exitStatus(): Promise<Exit> {
    const format = "#{pane_dead_status} #{pane_dead_signal}";
    for (let tries = 0; tries < 20; tries++) {
      if (tries > 0) await this.#tmux.tryRun(["run-shell", "true"]);
      const printed = await this.#pane.tryRun((id) => [
        ["display-message", "-p", "-t", id, format],
      ]);
      const [code = "", signal = ""] = printed?.replace("\n", "").split(" ") ?? [];
      if (/^\d+$/.test(code)) return { code: Number(code) };
      if (signal) return { signal };
      if (printed === undefined) return { reason: await this.#pane.closeReason() };
      await setTimeout(LOOK_EVERY_MS);
    }
    return {};
  }
}

const STATE = "#{cursor_y} #{cursor_x} #{?alternate_on,,#{history_size}} #{pane_title}";

const LOOK_EVERY_MS = 50;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {}); // rejects only if the signal is aborted
}
