import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rm } from "node:fs/promises";
import { HalyardError } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";

export interface SshRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunSshOptions {
  readonly env: Environment;
  /** The path prefix of two output files. The files are deleted when the program has exited. */
  readonly outputPrefix: string;
  /** How long the program may run, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Runs the user's `ssh`. Redirects its output to files, because a connection that `ssh` leaves open in the background
 * would keep a pipe open. Returns the exit code `SSH_FAILED` if `ssh` exceeds `timeoutMs`. Rejects if `ssh` cannot be
 * started.
 */
export async function runSsh(
  args: readonly string[],
  { env, outputPrefix, timeoutMs }: RunSshOptions,
): Promise<SshRun> {
  const files = [`${outputPrefix}.out`, `${outputPrefix}.err`];
  const [out, err] = await Promise.all(files.map((file) => open(file, "w", 0o600)));
  try {
    const stdio: ["ignore", number | undefined, number | undefined] = ["ignore", out?.fd, err?.fd];
    const child = spawn("ssh", args, { env, stdio, timeout: timeoutMs, killSignal: "SIGKILL" });
    const [code, signal] = await once(child, "exit").catch((error: unknown) => {
      throw noSsh(error);
    });
    const [stdout = "", stderr = ""] = await Promise.all(
      files.map((file) => readFile(file, "utf8")),
    );
    if (signal === "SIGKILL")
      return { exitCode: SSH_FAILED, stdout, stderr: `no response within ${timeoutMs / 1000} s` };
    return { exitCode: typeof code === "number" ? code : SSH_FAILED, stdout, stderr };
  } finally {
    await Promise.all([out?.close(), err?.close()]);
    await Promise.all(files.map((file) => rm(file, { force: true })));
  }
}

/** The exit code of `ssh` if the connection fails. Other exit codes come from the remote command. */
export const SSH_FAILED = 255;

function noSsh(cause: unknown): HalyardError {
  return new HalyardError(
    "unreachable",
    'The program "ssh" cannot be started. Install it, for example with "apt install openssh-client", and try again.',
    { cause },
  );
}
