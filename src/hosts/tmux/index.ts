import { HalyardError } from "../../core/error.ts";
import type { Host, HostProcess } from "../../core/host.ts";
import type { Terminal } from "../../core/terminal.ts";
import { withEnding } from "../../core/with-ending.ts";
import { createLocalHost } from "../local/index.ts";
import { attachTerminal, openTerminal } from "./open.ts";
import { Tmux } from "./tmux.ts";

export interface TmuxHostOptions {
  /** Where the server listens that is ours alone. */
  readonly socket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Programs of this machine that work on a screen in tmux, and what else they need as processes beside it. */
export function createTmuxHost({ socket, env }: TmuxHostOptions): Host {
  const local = createLocalHost();
  const tmux = new Tmux(socket, env);
  return {
    ...local,
    name: "tmux",
    async attach(runDir) {
      const [process, terminal] = await Promise.all([
        local.attach(runDir),
        attachTerminal(tmux, runDir),
      ]);
      if (process && terminal) return withScreen(process, terminal);
      return process ?? (terminal && asProcess(terminal));
    },
    openTerminal: (command, options) => openTerminal(tmux, command, options),
    attachTerminal: (runDir) => attachTerminal(tmux, runDir),
  };
}

/** A process that has a screen beside it: whoever ends it ends both. */
function withScreen(process: HostProcess, terminal: Terminal): HostProcess {
  const both = async (
    action: (one: HostProcess | Terminal) => PromiseLike<void>,
  ): Promise<void> => {
    await Promise.all([action(process), action(terminal)]);
  };
  return withEnding(process, {
    terminate: (options) => both((one) => one.terminate(options)),
    detach: () => both((one) => one.detach()),
  });
}

/** For those who only want to know whether it lives, or to end it. */
function asProcess(terminal: Terminal): HostProcess {
  return {
    identity: terminal.identity,
    async *output() {},
    stderrTail: async () => "",
    async write() {
      throw new HalyardError(
        "unsupported",
        "a program in a terminal has no standard input to write to",
      );
    },
    get exit() {
      return terminal.exit;
    },
    health: () => terminal.health(),
    terminate: (options) => terminal.terminate(options),
    detach: () => terminal.detach(),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}
