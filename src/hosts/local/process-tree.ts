import type { ProcessIdentity } from "../../contracts/host.ts";
import { hasProc } from "../../programs/platform.ts";
import { errno } from "../recording/errno.ts";
import { hasMarker } from "./marker.ts";
import { healthInThisBoot, healthOfProcess, isOfThisBoot } from "./process-identity.ts";
import { listProcesses, type ProcessEntry } from "./process-table.ts";

/** A program and its descendants. Contains only processes that can be identified with certainty. */
export class ProcessTree {
  readonly #root: ProcessIdentity;
  readonly #marker: string;
  /**
   * Processes that were found before. They still belong to the tree after the parent that connected them to it has
   * exited.
   */
  readonly #known = new Map<number, ProcessEntry>();
  /** Descendants that run as another user and cannot be signaled. */
  readonly #forbidden = new Set<number>();

  constructor(root: ProcessIdentity, marker: string) {
    this.#root = root;
    this.#marker = marker;
  }

  get rootIsAlive(): boolean {
    return healthOfProcess(this.#root) === "alive";
  }

  /** Returns the tree's running processes, except those that cannot be signaled. */
  async find(): Promise<ProcessEntry[]> {
    if (!isOfThisBoot(this.#root)) return [];
    const table = await listProcesses();
    // While the root has its pid, even as a zombie, no other process group can have the same number.
    const isOwnGroup = table.some((entry) => this.#isRoot(entry));
    const living = table.filter((entry) => !entry.ended && entry.pid !== process.pid);
    const found = living.filter(
      (entry) =>
        this.#isRoot(entry) ||
        this.#known.get(entry.pid)?.startTime === entry.startTime ||
        (isOwnGroup && entry.pgid === this.#root.pid) ||
        this.#isMarked(entry),
    );
    const own = withDescendants(found, living);
    for (const entry of own) this.#known.set(entry.pid, entry);
    return own.filter((entry) => !this.#forbidden.has(entry.pid));
  }

  /**
   * Sends SIGTERM to the program and its process group. Returns the other known processes in the group that handle the
   * signal. The caller waits for them, because a script around an agent exits at once, but the agent exits after its
   * own cleanup. If the program has exited, sends nothing and returns an empty list.
   */
  requestTermination(): ProcessEntry[] {
    if (!this.rootIsAlive) return [];
    this.#signal(-this.#root.pid, "SIGTERM");
    const group = [...this.#known.values()].filter(({ pgid }) => pgid === this.#root.pid);
    return group.filter((entry) => entry.handlesTermination && !this.#isRoot(entry));
  }

  /** Kills exactly this process, never a later one with the same pid. */
  kill(entry: ProcessEntry): void {
    if (healthInThisBoot(entry) === "alive") this.#signal(entry.pid, "SIGKILL");
  }

  #signal(pid: number, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (errno(error) === "EPERM") this.#forbidden.add(pid);
      else if (errno(error) !== "ESRCH") throw error;
    }
  }

  #isRoot(entry: ProcessEntry): boolean {
    return entry.pid === this.#root.pid && entry.startTime === this.#root.startTime;
  }

  #isMarked(entry: ProcessEntry): boolean {
    const isOlder = hasProc && Number(entry.startTime) < Number(this.#root.startTime);
    return !isOlder && hasMarker(entry.pid, this.#marker);
  }
}

function withDescendants(found: ProcessEntry[], living: ProcessEntry[]): ProcessEntry[] {
  const own = new Map(found.map((entry) => [entry.pid, entry]));
  for (const parent of own.values()) // also visits entries that are added during the iteration
    for (const child of living) if (child.ppid === parent.pid) own.set(child.pid, child);
  return [...own.values()];
}
