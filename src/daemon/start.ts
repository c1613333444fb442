import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../config/paths.ts";
import { HalyardError } from "../errors/error.ts";
import { homeError } from "../errors/home-error.ts";
import { findDaemon, type RunningDaemon } from "./find.ts";
import { prepareHome } from "./home.ts";
import { findHolder } from "./lock.ts";
import { logSize, readLogSince } from "./log.ts";
import { daemonPaths } from "./paths.ts";

export interface StartOptions {
  readonly home: string;
  /** The program and arguments that run the daemon. */
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;
  /** How long to wait until the daemon listens, in milliseconds. Defaults to 30,000. */
  readonly timeoutMs?: number;
}

/**
 * Returns the home's running daemon, or starts a daemon that keeps running after this process exits. Resolves when the
 * daemon listens on its socket. Rejects if the daemon fails to start or does not listen within `timeoutMs`.
 */
export async function startDaemon(options: StartOptions): Promise<RunningDaemon> {
  const { home, timeoutMs = 30_000 } = options;
  const { locks, log } = daemonPaths(home);
  const since = logSize(log);
  const deadline = performance.now() + timeoutMs;
  let started: Started | undefined;
  while (performance.now() < deadline) {
    const daemon = await findDaemon(home);
    if (daemon && (await answers(daemon.socketPath))) return daemon;
    if (started?.exitCode) throw await notStarted(log, since);
    if ((started === undefined || started.exitCode === 0) && !(await findHolder(locks))) {
      await prepareHome(home);
      started = spawnDaemon(options, log);
    }
    await sleep(STEP_MS);
  }
  throw await notStarted(log, since, `it did not listen within ${timeoutMs / 1000} s`);
}

const STEP_MS = 10;

interface Started {
  /** Undefined while the process is running. Zero if another daemon acquired the lock first. */
  readonly exitCode: number | undefined;
}

/**
 * Starts the daemon in its own process group and without HALYARD_RUN. Otherwise, the daemon would be killed when the
 * session to which this process belongs ends.
 */
function spawnDaemon({ home, command, env }: StartOptions, log: string): Started {
  const [file, ...args] = command;
  const { HALYARD_RUN, ...rest } = env;
  const output = openLogFile(log);
  const started: { exitCode: number | undefined } = { exitCode: undefined };
  const stdio: ["ignore", number, number] = ["ignore", output, output];
  const child = spawn(file, args, { cwd: home, env: rest, detached: true, stdio });
  closeSync(output);
  child.once("error", () => (started.exitCode = 1));
  child.once("exit", (code) => (started.exitCode = code ?? 1));
  child.unref();
  return started;
}

function openLogFile(log: string): number {
  try {
    return openSync(log, "a", 0o600);
  } catch (cause) {
    throw homeError("Cannot start a daemon", cause);
  }
}

/** Returns true if a process listens on the socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    const settle = (isListening: boolean): void => {
      socket.destroy();
      resolve(isListening);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

async function notStarted(log: string, since: number, reason?: string): Promise<HalyardError> {
  const text = await readLogSince(log, since);
  const what = ["The daemon could not be started", ...(reason ? [reason] : [])].join(": ");
  return new HalyardError(
    "unreachable",
    `${what}. Run "halyard daemon run" to start it in the foreground. Its log (${log}) contains:\n${text || "no new lines"}`,
  );
}
