import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { CommandHook, HookPayload } from "../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/** What a command is started with around it. */
export interface CommandPlace {
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the command for every payload, which it gets on standard input as one line of JSON. */
export function commandSink(hook: CommandHook, place: CommandPlace): HookSink {
  return {
    name: basename(hook.command[0]),
    ...(hook.events && { events: hook.events }),
    deliver: (payload, { signal }) => runOnce(hook, place, payload, signal),
  };
}

function runOnce(
  { command: [file, ...args], timeoutMs, env }: CommandHook,
  place: CommandPlace,
  payload: HookPayload,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // A group of its own, so that what it started can be ended with it, and Ctrl-C is not for it.
    const child = spawn(file, args, {
      cwd: place.cwd,
      env: { ...place.env, ...env },
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    let complaint = "";
    let ended: Error | undefined;
    const end = (reason: Error): void => {
      ended ??= reason;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = setTimeout(() => end(new Error(`it took over ${timeoutMs} ms`)), timeoutMs);
    const onAbort = (): void => end(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      if (error) reject(error);
      else resolve();
    };
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-MAX_COMPLAINT);
    });
    child.once("error", (error) => settle(new Error(`it cannot be run (${error.message})`)));
    child.once("exit", (code, killer) => {
      // What it left running in the background may keep its standard error open: nobody waits for that.
      child.stderr.destroy();
      if (ended) settle(ended);
      else if (code === 0) settle();
      else settle(new Error(`it ended with ${killer ?? `exit code ${code}`} ${complaint}`.trim()));
    });
    child.stdin.on("error", () => {}); // it need not read
    child.stdin.end(`${JSON.stringify(payload)}\n`);
  });
}

const MAX_COMPLAINT = 500;

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself meanwhile.
  }
}
