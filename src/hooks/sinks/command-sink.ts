import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { CommandHook, HookPayload } from "../../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/** The working directory and environment of a hook command. */
export interface CommandContext {
  readonly cwd: string;
  /** The environment, to which the hook's `env` is added. The command inherits no other variables. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates a sink that runs the command once per payload and writes the payload to its standard input as one line of
 * JSON.
 */
export function commandSink(hook: CommandHook, options: CommandContext): HookSink {
  return {
    name: basename(hook.command[0]),
    ...(hook.events && { events: hook.events }),
    deliver: (payload, { signal }) => runOnce(hook, options, payload, signal),
  };
}

function runOnce(
  { command: [file, ...args], timeoutMs, env }: CommandHook,
  options: CommandContext,
  payload: HookPayload,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // A separate process group, so that the command's child processes can be killed with it and Ctrl-C does not reach
    // them.
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env, ...env },
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    let stderr = "";
    let ended: Error | undefined;
    const end = (reason: Error): void => {
      ended ??= reason;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = setTimeout(
      () => end(new Error(`the command ran for more than ${timeoutMs} ms`)),
      timeoutMs,
    );
    const onAbort = (): void => end(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      if (error) reject(error);
      else resolve();
    };
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    child.once("error", (error) =>
      settle(new Error(`the command could not be started: ${error.message}`)),
    );
    child.once("exit", (code, killer) => {
      // A background process may keep standard error open, so do not wait for the end of the stream.
      child.stderr.destroy();
      if (ended) settle(ended);
      else if (code === 0) settle();
      else
        settle(
          new Error(
            `the command exited with ${killer ?? `code ${code}`}${stderr && `: ${stderr.trim()}`}`.trim(),
          ),
        );
    });
    child.stdin.on("error", () => {}); // ignored, because the command does not have to read its input
    child.stdin.end(`${JSON.stringify(payload)}\n`);
  });
}

const MAX_STDERR = 500;

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Ignored: the process group has already exited.
  }
}
