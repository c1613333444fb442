import type { Limits } from "../schema/start-request.ts";
import type { HalyardError } from "./error.ts";
import type { EventLog } from "./event-log.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { Requests } from "./requests.ts";
import { Watchdog } from "./watchdog.ts";

export interface TurnWatchOptions {
  readonly limits: Limits;
  readonly log: EventLog;
  readonly requests: Requests;
  /** Hears that a runtime has been silent for too long. */
  readonly onSilence: (error: HalyardError) => void;
}

/** Watches over a runtime while it has a turn to see to. */
export class TurnWatch {
  readonly #options: TurnWatchOptions;
  readonly #watchdog: Watchdog;

  constructor(options: TurnWatchOptions) {
    this.#options = options;
    this.#watchdog = new Watchdog((error) => {
      // What it says is not read while the log cannot be written.
      if (options.log.isHeldUp) this.#watchdog.again();
      else options.onSilence(error);
    });
  }

  /** Expects the next sign of life, unless a tool or a person is what the turn waits for. */
  expectMore(turn: OpenTurn): void {
    if (turn.cause) return;
    const { limits, requests, log } = this.#options;
    const { runtime } = log.info;
    if (turn.ledger.hasOpenCall || requests.size > 0) {
      this.#watchdog.stop();
    } else if (turn.ledger.hasBegun) {
      this.#watchdog.watch("progress", limits.progressMs, `waiting for ${runtime} to go on`);
    } else {
      const what = `waiting for ${runtime}'s first output`;
      this.#watchdog.watch("first_output", limits.firstOutputMs, what);
    }
  }

  /** Expects the end of a turn that was asked to end; a runtime that does not come to it is ended itself. */
  expectEnd(): void {
    const { limits, log } = this.#options;
    const what = `waiting for ${log.info.runtime} to end the turn it was asked to end`;
    this.#watchdog.watch("cancel", limits.cancelMs, what);
  }

  stop(): void {
    this.#watchdog.stop();
  }
}
