import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { Host, HostProcess } from "../../core/host.ts";
import type { Terminal } from "../../core/terminal.ts";
import { createLocalHost } from "../local/index.ts";
import { attachTerminal, openTerminal } from "./open.ts";
import { Tmux } from "./tmux.ts";

export interface TmuxHostOptions {
  /** Whose sessions they are: each home has a tmux server of its own. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Programs of this machine that work on a screen in tmux, and what else they need as processes beside it. */
export function createTmuxHost({ home, env }: TmuxHostOptions): Host {
  const local = createLocalHost();
  const tmux = new Tmux(socketFor(home), env);
  return {
    ...local,
    name: "tmux",
    async attach(runDir) {
      const process = await local.attach(runDir);
      if (process) return process;
      const terminal = await attachTerminal(tmux, runDir);
      return terminal && asProcess(terminal);
    },
    openTerminal: (command, options) => openTerminal(tmux, command, options),
    attachTerminal: (runDir) => attachTerminal(tmux, runDir),
  };
}

/** In the home, unless the name would be too long for a socket. */
function socketFor(home: string): string {
  const socket = join(home, "tmux.sock");
  if (Buffer.byteLength(socket) <= LONGEST_SOCKET_NAME) return socket;
  const hash = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(tmpdir(), `halyard-${hash}.sock`);
}

/** What every system allows. */
const LONGEST_SOCKET_NAME = 100;

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
