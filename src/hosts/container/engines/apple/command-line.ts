import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { unlessAborted } from "../../../../async/unless-aborted.ts";
import type { ExecResult } from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";
import { sentence } from "../../../../errors/sentence.ts";

/** Apple's `container` program. */
export interface CommandLine {
  readonly program: string;
  /** The environment. The program receives only PATH, HOME and USER. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts the program. Adds `values` to its environment, so that the arguments contain no keys. */
export function startCommand(
  { program, env }: CommandLine,
  args: readonly string[],
  values: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const { PATH, HOME, USER } = env;
  return spawn(program, args, { env: { PATH, HOME, USER, ...values } });
}

/**
 * Runs the program and returns its exit code and output. If the signal is aborted, kills the program and rejects with
 * the signal's reason.
 */
export async function runCommand(
  line: CommandLine,
  args: readonly string[],
  { input, values, signal }: RunOptions = {},
): Promise<ExecResult> {
  signal?.throwIfAborted();
  const child = startCommand(line, args, values);
  // ignored, because the exit code shows whether the program failed without reading its input
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const result = resultOf(child, line);
  if (signal === undefined) return result;
  try {
    return await unlessAborted(result, signal);
  } finally {
    if (signal.aborted) {
      child.kill();
      // the program in the container may keep the streams open
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
  }
}

async function resultOf(
  child: ChildProcessWithoutNullStreams,
  line: CommandLine,
): Promise<ExecResult> {
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  outputs.catch(() => {}); // awaited after the exit
  const code = await exitCode(child, line);
  const [stdout, stderr] = await outputs;
  return { code, stdout, stderr };
}

export interface RunOptions {
  readonly input?: string | undefined;
  readonly values?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the program and returns its standard output. If it fails, rejects with an error that contains its standard
 * error.
 */
export async function commandOutput(
  line: CommandLine,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(line, args, options);
  if (code === 0) return stdout;
  const reason = sentence(stderr.trim() || `exit code ${code}`);
  throw new HalyardError(
    "start_failed",
    `Apple's "container ${args[0]}" failed: ${reason} Run "halyard container doctor" to find the cause.`,
  );
}

export function exitCode(
  child: ChildProcessWithoutNullStreams,
  { program }: CommandLine,
): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(
        new HalyardError(
          "host_unavailable",
          `Apple Container (${program}) could not be started: ${cause.message}. Install it from github.com/apple/container and run "container system start".`,
          { cause },
        ),
      ),
    );
    child.once("exit", (code) => resolve(code ?? KILLED));
  });
}

const KILLED = 137;
