import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { hasEnded } from "../log/projection.ts";

/**
 * The sessions of this machine that another machine has claimed. If the other machine cannot continue a session, it
 * releases the claim. This machine then attaches again to the session's agent, which is still running.
 */
export class SessionsClaimedElsewhere {
  readonly #machine: string;
  readonly #ids = new Set<string>();

  constructor(machine: string) {
    this.#machine = machine;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /**
   * Attaches to the sessions that were released. Drops sessions that run on another machine, have ended or were removed.
   * Also drops a session that cannot be attached, and calls `onProblem` with the error.
   */
  async attach(own: Halyard, onProblem: (problem: unknown) => void): Promise<void> {
    for (const id of this.#ids) {
      const info = await own.find(id);
      if (info === undefined || hasEnded(info) || info.machine !== this.#machine) {
        this.#ids.delete(id);
        continue;
      }
      try {
        await own.resume(id);
        this.#ids.delete(id);
      } catch (error) {
        if (isOwned(error) || isStoreDown(error)) continue; // the next call retries
        this.#ids.delete(id);
        onProblem(error);
      }
    }
  }
}

/** True if the error reports that another process has claimed the session. */
export function isOwned(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "session_owned";
}

function isStoreDown(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "store_unreachable";
}
