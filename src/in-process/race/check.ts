import { spawn } from "node:child_process";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { CheckResult } from "../../schema/workspace/race.ts";
import { portVariables } from "../../schema/workspace/worktree-environment.ts";

/** Options of `runCheck`. */
export interface CheckOptions {
  /** The user's environment. The check receives only allow-listed variables and therefore no keys. */
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the check in the session's directory. Uses a shell, because the check is a command line that the user typed.
 * Kills the check with all its processes when the time limit expires or `signal` is aborted. Also kills processes that a
 * finished check left in the background. Never rejects: a check that cannot be started has failed.
 */
export async function runCheck(
  command: string,
  { cwd, worktree }: Pick<SessionInfo, "cwd" | "worktree">,
  { env, timeoutMs, signal }: CheckOptions,
): Promise<CheckResult> {
  const ports = worktree ? portVariables(worktree.portBase) : {};
  const child = spawn("/bin/sh", ["-c", command], {
    cwd,
    env: allowedEnvironment(env, ports),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // starts a separate process group
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-OUTPUT);
    });
  let ending: string | undefined;
  const end = (reason: string) => {
    ending ??= reason;
    killGroup(child.pid);
  };
  const onAbort = () => end("The check was cancelled.");
  const timer = setTimeout(
    () => end(`The check did not finish within ${timeoutMs / 1000} s.`),
    timeoutMs,
  );
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return new Promise((resolve) => {
    const settle = (passed: boolean, more = "") => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      killGroup(child.pid); // kills processes that the check left in the background
      resolve({ passed, output: `${output}${more}`.trim() });
    };
    child.on("error", ({ message }) => settle(false, message));
    // The check ends when the shell exits, because a background process may keep the pipes open.
    child.on("exit", (code, killedBy) => {
      const passed = code === 0 && ending === undefined;
      const how = code === null ? `was killed by ${killedBy}` : `exited with code ${code}`;
      setImmediate(() => {
        if (!passed && output.trim() === "") ending ??= `The check ${how} without output.`;
        settle(passed, ending === undefined ? "" : `\n${ending}`);
      });
    });
  });
}

/** The maximum number of characters that are kept from the end of the output. */
const OUTPUT = 20_000;

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Ignored: no process of the group is left.
  }
}
