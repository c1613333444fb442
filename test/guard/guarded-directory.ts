import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A temporary directory for programs that must not outlive a test. Disposal kills every process whose working directory is in
 * it, and deletes it. A separate guard process does both, also if the process of the test is killed.
 */
export interface GuardedDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Creates a directory whose name starts with `prefix`, and starts the process that guards the directory. */
export async function guardedDirectory(prefix: string): Promise<GuardedDirectory> {
  const path = await mkdtemp(join(await realpath(tmpdir()), prefix));
  const guard = spawn(process.execPath, [program, path], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true, // a signal to the group of the test does not end the guard
    cwd: "/",
  });
  const exited = once(guard, "exit");
  guard.unref();
  return {
    path,
    async [Symbol.asyncDispose]() {
      guard.ref();
      guard.stdin.end();
      await exited;
    },
  };
}

const program = fileURLToPath(new URL("guard.mjs", import.meta.url));
