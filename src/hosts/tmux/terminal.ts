import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { HalyardError } from "../../core/error.ts";
import type { Chunk, Exit, Health, ProcessIdentity } from "../../core/host.ts";
import type { Screen, Terminal } from "../../core/terminal.ts";
import { watchStranger } from "../local/exit-watch.ts";
import { isSameProcess } from "../local/process-identity.ts";
import { ProcessTree } from "../local/process-tree.ts";
import { terminateTree } from "../local/terminate.ts";
import { DEFAULT_GRACE_MS, Ending } from "../recording/ending.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { withLock } from "../recording/lock.ts";
import { tail } from "../recording/tail.ts";
import type { Tmux } from "./tmux.ts";

export interface TerminalParts {
  readonly tmux: Tmux;
  /** The session's name on the server. */
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly marker: string;
}

/** A program in a pane of its own. */
export class TmuxTerminal implements Terminal {
  readonly identity: ProcessIdentity;
  readonly viewCommand: readonly string[];
  readonly #tmux: Tmux;
  readonly #name: string;
  readonly #tree: ProcessTree;
  readonly #watch: ExitWatch;
  readonly #ending = new Ending((insist) => this.#end(insist));

  constructor({ tmux, name, identity, marker }: TerminalParts) {
    this.identity = identity;
    this.viewCommand = tmux.viewCommand(name);
    this.#tmux = tmux;
    this.#name = name;
    this.#tree = new ProcessTree(identity, marker);
    this.#watch = watchStranger(identity);
  }

  async look(): Promise<Screen> {
    const seen = await this.#ask(
      ["display-message", "-p", "-t", this.#pane, "#{cursor_y} #{cursor_x} #{pane_title}"],
      ["capture-pane", "-p", "-t", this.#pane],
    );
    const [state = "", ...lines] = seen.replace(/\n$/, "").split("\n");
    const [, row, column, title = ""] = /^(\d+) (\d+) (.*)$/.exec(state) ?? [];
    return {
      lines: lines.map((line) => line.trimEnd()),
      title,
      cursor: { row: Number(row), column: Number(column) },
    };
  }

  /** Bracketed, so that no line of it is taken for a command before the rest has come. */
  async paste(text: string): Promise<void> {
    const buffer = `halyard-${randomBytes(8).toString("hex")}`;
    await this.#ask(
      ["set-buffer", "-b", buffer, text],
      ["paste-buffer", "-p", "-d", "-b", buffer, "-t", this.#pane],
    );
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.#ask(["send-keys", "-t", this.#pane, ...keys]);
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
      await pause(LOOK_EVERY_MS, AbortSignal.any([ended, ...signals]));
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
    return this.#watch.ended.aborted ? "dead" : isSameProcess(this.identity);
  }

  /** The screen goes with the program. */
  async terminate({ graceMs }: { graceMs: number }): Promise<void> {
    await this.#ending.within(graceMs);
  }

  async detach(): Promise<void> {
    this.#watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate({ graceMs: DEFAULT_GRACE_MS });
  }

  async #end(insist: AbortSignal): Promise<void> {
    await terminateTree(this.#tree, { insist, ended: this.#watch.ended });
    this.#watch.look();
    this.#watch.close();
    await this.#tmux.ask(["kill-session", "-t", `=${this.#name}`]);
  }

  /**
   * Its server learns how it ended a little after the kernel does, and now and then not before another of its children
   * ends: so it is given one.
   */
  async #exitStatus(): Promise<Exit> {
    const format = "#{pane_dead_status} #{pane_dead_signal}";
    const show = ["display-message", "-p", "-t", this.#pane, format];
    for (let tries = 0; tries < 20; tries++) {
      const said = await this.#tmux.ask(...(tries > 0 ? [["run-shell", "true"]] : []), show);
      const [code = "", signal = ""] = said?.replace("\n", "").split(" ") ?? [];
      if (/^\d+$/.test(code)) return { code: Number(code) };
      if (signal) return { signal };
      if (said === undefined) return {};
      await setTimeout(LOOK_EVERY_MS);
    }
    return {};
  }

  async #ask(...commands: readonly (readonly string[])[]): Promise<string> {
    const said = await this.#tmux.ask(...commands);
    if (said !== undefined) return said;
    throw new HalyardError("agent_exited", "the program's terminal is gone");
  }

  /** This very session, and none whose name begins alike. */
  get #pane(): string {
    return `=${this.#name}:`;
  }
}

const LOOK_EVERY_MS = 50;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {}); // told not to wait any longer
}
