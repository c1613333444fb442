import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { ExecResult } from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";

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

/** Runs the program and returns its exit code and output. Kills the program when the signal is aborted. */
export async function runCommand(
  line: CommandLine,
  args: readonly string[],
  { input, values, signal }: RunOptions = {},
): Promise<ExecResult> {
  const child = startCommand(line, args, values);
  const onAbort = () => child.kill();
  signal?.addEventListener("abort", onAbort, { once: true });
  // ignored, because the exit code shows whether the program failed without reading its input
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  try {
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    const code = await exitCode(child, line);
    const [stdout, stderr] = await outputs;
    return { code, stdout, stderr };
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
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
  const reason = stderr.trim() || `exit code ${code}`;
  throw new HalyardError(
    "start_failed",
    `Apple's "container ${args[0]}" failed: ${reason}. Run "halyard container doctor" to find the cause.`,
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
