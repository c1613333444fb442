import { readdir, readlink } from "node:fs/promises";

/** Returns the pids of the processes whose working directory is the given directory or below it. */
export async function processesIn(directory: string): Promise<number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return `${cwd}/`.startsWith(`${directory}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Kills the processes whose working directory is the given directory or below it. */
export async function killProcessesIn(directory: string): Promise<void> {
  for (const pid of await processesIn(directory)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Ignored: the process had already exited.
    }
  }
}
