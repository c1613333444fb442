import { spawn } from "node:child_process";
import type { CheckResult } from "../../halyard/race/race.ts";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { portVariables } from "../../schema/worktree-environment.ts";

/** Options of `runCheck`. */
export interface CheckOptions {
  /** The environment of the user. The check receives its allow-listed variables, and so no keys. */
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the check in the directory of a session, in a shell: the user typed the command. Kills it with all of its processes
 * when its time is over.
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
    detached: true, // its own group
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
      killGroup(child.pid); // processes that it left in the background
      resolve({ passed, output: `${output}${more}`.trim() });
    };
    child.on("error", ({ message }) => settle(false, message));
    // A process in the background may keep the pipes open, so the exit of the shell ends the check.
    child.on("exit", (code) => {
      const passed = code === 0 && ending === undefined;
      setImmediate(() => settle(passed, ending === undefined ? "" : `\n${ending}`));
    });
  });
}

/** The part of the output that is kept, from its end, in characters. */
const OUTPUT = 20_000;

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // no process of the group is left
  }
}
