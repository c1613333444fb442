import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { HalyardError } from "../../core/error.ts";
import type { ExecResult } from "../container-runtime.ts";

/** Apple's `container` program. */
export interface CommandLine {
  readonly program: string;
  /** All that it needs of ours is where to find things. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts it; `values` are handed over by name, so that no key stands on a command line. */
export function startCommand(
  { program, env }: CommandLine,
  args: readonly string[],
  values: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const { PATH, HOME, USER } = env;
  return spawn(program, args, { env: { PATH, HOME, USER, ...values } });
}

/** Runs it to its end, whatever that is. */
export async function runCommand(
  line: CommandLine,
  args: readonly string[],
  { input, values, signal }: RunOptions = {},
): Promise<ExecResult> {
  const child = startCommand(line, args, values);
  const onAbort = () => child.kill();
  signal?.addEventListener("abort", onAbort, { once: true });
  child.stdin.on("error", () => {}); // whoever does not read what we say ends with a code of its own
  child.stdin.end(input);
  try {
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const code = await exitCode(child, line);
    const [stdout, stderr] = await said;
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

/** Runs it and answers with what it said; rejects with its complaint where it fails. */
export async function commandOutput(
  line: CommandLine,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(line, args, options);
  if (code === 0) return stdout;
  const reason = stderr.trim() || `it ended with exit code ${code}`;
  throw new HalyardError("start_failed", `container ${args[0]}: ${reason}`);
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
          `Apple Container (${program}) cannot be run: ${cause.message}. Install it from github.com/apple/container, and run: container system start.`,
          { cause },
        ),
      ),
    );
    child.once("exit", (code) => resolve(code ?? KILLED));
  });
}

const KILLED = 137;
