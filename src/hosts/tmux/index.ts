import { withEnding } from "../../adapter-kit/with-ending.ts";
import type { Host, HostProcess } from "../../contracts/host.ts";
import type { Terminal } from "../../contracts/terminal.ts";
import { HalyardError } from "../../errors/error.ts";
import { createLocalHost } from "../local/index.ts";
import { Tmux } from "./tmux.ts";

export interface TmuxHostOptions {
  /** The path of the socket for Halyard's own tmux server. */
  readonly socket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Creates the host for programs that run on a screen in tmux, and for processes without a screen. */
export function createTmuxHost({ socket, env }: TmuxHostOptions): Host {
  const local = createLocalHost();
  const tmux = new Tmux(socket, env);
  const attachTerminal = async (runDir: string) =>
    (await import("./open.ts")).attachTerminal(tmux, runDir); // loaded on demand, because most sessions have no screen
  return {
    ...local,
    name: "tmux",
    async attach(runDir) {
      const [process, terminal] = await Promise.all([local.attach(runDir), attachTerminal(runDir)]);
      if (process && terminal) return withScreen(process, terminal);
      return process ?? (terminal && asProcess(terminal));
    },
    openTerminal: async (command, options) =>
      (await import("./open.ts")).openTerminal(tmux, command, options),
    attachTerminal,
  };
}

/** Returns a process that ends and detaches together with its screen. */
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

/** Wraps a screen as a process, to check its health and to end it. */
function asProcess(terminal: Terminal): HostProcess {
  return {
    identity: terminal.identity,
    async *output() {},
    stderrTail: async () => "",
    async write() {
      throw new HalyardError(
        "unsupported",
        "A program on a screen has no standard input. Type on its screen instead.",
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
