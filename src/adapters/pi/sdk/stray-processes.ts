import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { hasProc } from "../../../programs/platform.ts";

/** The variable that marks every command in a session and all its child processes. */
const MARK = "HALYARD_RUN";

/** Finds and kills processes that an in-process session's commands leave running. */
export class StrayProcesses {
  readonly #mark: string;
  #isUsed = false;

  /** The mark contains the run directory, so that a process can be traced to its session. */
  constructor(runDir: string) {
    this.#mark = `${randomUUID()}:${runDir}`;
  }

  /** Returns the environment for a command, with the mark. */
  mark(env: Readonly<Record<string, string>>): Record<string, string> {
    this.#isUsed = true;
    return { ...env, [MARK]: this.#mark };
  }

  /** Kills the marked processes. Works only on Linux, where a process's environment is readable. */
  async killAll(): Promise<void> {
    if (!this.#isUsed || !hasProc) return;
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    await Promise.all(pids.map((pid) => this.#killIfMarked(Number(pid))));
  }

  async #killIfMarked(pid: number): Promise<void> {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1");
      if (environment.split("\0").includes(`${MARK}=${this.#mark}`)) process.kill(pid, "SIGKILL");
    } catch {
      // Ignored, because the process has exited or belongs to another user.
    }
  }
}
