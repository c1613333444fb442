import type { ProcessIdentity } from "../../core/host.ts";
import { errno } from "../recording/errno.ts";
import { carriesMarker } from "./marker.ts";
import { isOfThisBoot, isRunning, isSameProcess } from "./process-identity.ts";
import { hasProc, listProcesses, type ProcessEntry } from "./process-table.ts";

/** A program and all it started, as far as we can tell for certain. */
export class ProcessTree {
  readonly #root: ProcessIdentity;
  readonly #marker: string;
  /** What was found before: still ours when the parent that proved it has ended. */
  readonly #known = new Map<number, ProcessEntry>();
  /** Ours by descent, but run as another user: not ours to end. */
  readonly #forbidden = new Set<number>();

  constructor(root: ProcessIdentity, marker: string) {
    this.#root = root;
    this.#marker = marker;
  }

  get rootIsAlive(): boolean {
    return isSameProcess(this.#root) === "alive";
  }

  /** Those that run now. */
  async find(): Promise<ProcessEntry[]> {
    if (!isOfThisBoot(this.#root)) return [];
    const table = await listProcesses();
    // As long as the root has its pid, even as a zombie, no other group can have that number.
    const groupIsOurs = table.some((entry) => this.#isRoot(entry));
    const living = table.filter((entry) => !entry.ended && entry.pid !== process.pid);
    const found = living.filter(
      (entry) =>
        this.#isRoot(entry) ||
        this.#known.get(entry.pid)?.startTime === entry.startTime ||
        (groupIsOurs && entry.pgid === this.#root.pid) ||
        this.#isMarked(entry),
    );
    const ours = withDescendants(found, living);
    for (const entry of ours) this.#known.set(entry.pid, entry);
    return ours.filter((entry) => !this.#forbidden.has(entry.pid));
  }

  /** Asks the program to end, together with those that it keeps in its group. */
  ask(): void {
    if (this.rootIsAlive) this.#signal(-this.#root.pid, "SIGTERM");
  }

  /** Ends one process: this very one, never another that got its pid since. */
  kill(entry: ProcessEntry): void {
    if (isRunning(entry) === "alive") this.#signal(entry.pid, "SIGKILL");
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
    return !isOlder && carriesMarker(entry.pid, this.#marker);
  }
}

function withDescendants(found: ProcessEntry[], living: ProcessEntry[]): ProcessEntry[] {
  const ours = new Map(found.map((entry) => [entry.pid, entry]));
  for (const parent of ours.values()) // a Map's values go on with what is added meanwhile
    for (const child of living) if (child.ppid === parent.pid) ours.set(child.pid, child);
  return [...ours.values()];
}
