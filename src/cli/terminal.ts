import { type Environment, ownEnvironment } from "../config/paths.ts";
import type { ConsoleInput } from "./console/pending-input.ts";
import { createSink, isBrokenPipe, type Sink } from "./output/sink.ts";

/** What a command talks to. */
export interface Terminal {
  readonly out: Sink;
  readonly err: Sink;
  readonly input: ConsoleInput;
  readonly env: Environment;
  /** Somebody sits there who can be asked. */
  readonly isAttended: boolean;
  /** Animations are welcome. */
  readonly isLively: boolean;
}

export interface TerminalOptions {
  /** Without colors, markdown and animations; defaults to false. */
  readonly plain?: boolean | undefined;
}

export function openTerminal({ plain = false }: TerminalOptions = {}): Terminal {
  const { stdin, stdout, stderr } = process;
  const env = ownEnvironment();
  const looks = plain ? { NO_COLOR: "1" } : env;
  const out = createSink(stdout, looks);
  const err = createSink(stderr, looks);
  const isDumb = plain || env.TERM === "dumb" || env.CI !== undefined;
  return {
    out,
    err,
    input: stdin,
    env,
    isAttended: stdin.isTTY === true && err.isTerminal,
    isLively: err.isTerminal && !isDumb,
  };
}

/** A full disk is an error; a reader that has left is not. */
export function throwIfUnwritable({ out }: Terminal): void {
  if (out.closed.aborted && !isBrokenPipe(out.closed.reason)) throw out.closed.reason;
}

export async function warn({ err }: Terminal, warnings: readonly string[]): Promise<void> {
  for (const warning of warnings) await err.write(`${err.colors.yellow("warning:")} ${warning}\n`);
}
