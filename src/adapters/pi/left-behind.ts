import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** Stands in the environment of every command of a session, and so of all that a command starts. */
const MARK = "HALYARD_RUN";

/** What the commands of a session in this process leave running behind them. */
export class LeftBehind {
  readonly #mark: string;
  #isUsed = false;

  /** Whatever is found later leads to the session by its run directory. */
  constructor(runDir: string) {
    this.#mark = `${randomUUID()}:${runDir}`;
  }

  /** The environment for the next command. */
  mark(env: Readonly<Record<string, string>>): Record<string, string> {
    this.#isUsed = true;
    return { ...env, [MARK]: this.#mark };
  }

  /** Ends it. Only Linux shows the environment of a process; elsewhere what left its command's group stays. */
  async end(): Promise<void> {
    if (!this.#isUsed || process.platform !== "linux") return;
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    await Promise.all(pids.map((pid) => this.#endIfMarked(Number(pid))));
  }

  async #endIfMarked(pid: number): Promise<void> {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1");
      if (environment.split("\0").includes(`${MARK}=${this.#mark}`)) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself, or is somebody else's.
    }
  }
}
