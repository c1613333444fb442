import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** The path of the built `halyard` command. */
export const program = fileURLToPath(new URL("../../dist/bin/halyard.js", import.meta.url));

/** A user with a separate home, an empty working directory, and no key. */
export interface User {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function newUser(env: Readonly<Record<string, string>> = {}): Promise<User> {
  const root = await temporaryDirectory();
  const home = join(root, "halyard");
  const cwd = join(root, "project");
  await mkdir(cwd);
  const PATH = process.env.PATH ?? "";
  return { home, cwd, env: { PATH, HOME: root, HALYARD_HOME: home, ...env } };
}

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `halyard` and resolves when it exits. */
export function halyard(user: User, args: readonly string[], input = ""): Promise<Finished> {
  const cli = new StartedCli(user, [process.execPath, program, ...args]);
  cli.process.stdin.end(input);
  return cli.finished;
}

/** The path of `script`, which runs a program in a pseudo-terminal and passes its standard input on as typed text. */
export const SCRIPT = "/usr/bin/script";

/** Starts `halyard` in a pseudo-terminal. The arguments must not contain spaces. */
export function startInTerminal(user: User, args: readonly string[]): StartedCli {
  const command = [process.execPath, program, ...args].join(" ");
  return new StartedCli(user, [SCRIPT, "-qec", command, "/dev/null"]);
}

/** A running program and its output so far. */
export class StartedCli {
  readonly process: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  stdout = "";
  stderr = "";

  constructor({ cwd, env }: User, [file = "", ...args]: readonly string[]) {
    this.process = spawn(file, args, { cwd, env });
    this.process.stdin.on("error", () => {}); // the program may exit before it has read all input
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.finished = once(this.process, "close").then(([exitCode]) => ({
      exitCode,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
    onTestFinished(() => {
      this.process.kill("SIGKILL");
    });
  }

  /** Resolves when standard output matches. Rejects if the program exits first. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout)) {
      const ended = this.finished.then(({ stdout, stderr }) => {
        throw new Error(`The program exited without printing ${pattern}:\n${stdout}\n${stderr}`);
      });
      await Promise.race([once(this.process.stdout, "data"), ended]);
    }
  }
}
