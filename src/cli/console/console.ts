import { type Environment, ownEnvironment } from "../../config/paths.ts";
import { createSink, isBrokenPipe, type Sink } from "../output/sink.ts";
import type { ConsoleInput } from "./pending-input.ts";

/** Standard input, output and error of this process, and its environment. */
export interface Console {
  readonly out: Sink;
  readonly err: Sink;
  readonly input: ConsoleInput;
  readonly env: Environment;
  /** True if a user can answer questions: standard input and standard error are TTYs. */
  readonly isAttended: boolean;
  /** True if standard error is a TTY, and neither `--plain`, `TERM=dumb` nor `CI` disables animations. */
  readonly canAnimate: boolean;
}

export interface ConsoleOptions {
  /** Disables colors, Markdown rendering and animations. Defaults to false. */
  readonly plain?: boolean | undefined;
}

/** Opens the console of this process. */
export function openConsole({ plain = false }: ConsoleOptions = {}): Console {
  const { stdin, stdout, stderr } = process;
  const env = ownEnvironment();
  const colorEnv = plain ? { NO_COLOR: "1" } : env;
  const out = createSink(stdout, colorEnv);
  const err = createSink(stderr, colorEnv);
  const isDumb = plain || env.TERM === "dumb" || env.CI !== undefined;
  return {
    out,
    err,
    input: stdin,
    env,
    isAttended: stdin.isTTY === true && err.isTTY,
    canAnimate: err.isTTY && !isDumb,
  };
}

/** Throws if writing to standard output failed, for example on a full disk. A closed pipe is not an error. */
export function throwIfUnwritable({ out }: Console): void {
  if (out.closed.aborted && !isBrokenPipe(out.closed.reason)) throw out.closed.reason;
}

/** Prints warnings on standard error. */
export async function warn({ err }: Console, warnings: readonly string[]): Promise<void> {
  for (const warning of warnings) await err.write(`${err.colors.yellow("warning:")} ${warning}\n`);
}
