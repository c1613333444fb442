import { Watchdog } from "../../async/watchdog.ts";
import type { HalyardError } from "../../errors/error.ts";
import type { EventLog } from "../../log/event-log.ts";
import type { Requests } from "../../permissions/requests.ts";
import type { Limits } from "../../schema/session/start-request.ts";
import type { OpenTurn } from "./open-turn.ts";

/** Options of a `TurnWatch`. */
export interface TurnWatchOptions {
  readonly limits: Limits;
  readonly log: EventLog;
  readonly requests: Requests;
  /** Called when the runtime has been silent for too long. */
  readonly onSilence: (error: HalyardError) => void;
}

/** Enforces the silence limits of a runtime during a turn. */
export class TurnWatch {
  readonly #options: TurnWatchOptions;
  readonly #watchdog: Watchdog;

  constructor(options: TurnWatchOptions) {
    this.#options = options;
    this.#watchdog = new Watchdog((error) => {
      // Silence is expected while the log is blocked, because output is not read during that time.
      if (options.log.isBlocked) this.#watchdog.restart();
      else options.onSilence(error);
    });
  }

  /** Restarts the time limit for the runtime's next output, or stops it if the turn waits for a tool or an answer. */
  expectMore(turn: OpenTurn): void {
    if (turn.cause) return;
    const { limits, requests, log } = this.#options;
    const { runtime } = log.info;
    if (turn.ledger.hasOpenCall || requests.size > 0) {
      this.#watchdog.stop();
    } else if (turn.ledger.hasBegun) {
      const what = `waiting for ${runtime} to continue`;
      const setting = "limits.progressMs";
      this.#watchdog.watch("progress", limits.progressMs, what, { setting });
    } else {
      const what = `waiting for ${runtime}'s first output`;
      const setting = "limits.firstOutputMs";
      this.#watchdog.watch("first_output", limits.firstOutputMs, what, { setting });
    }
  }

  /** Starts the time limit for the end of an interrupted turn. If the turn does not end in time, the session fails. */
  expectEnd(): void {
    const { limits, log } = this.#options;
    const what = `waiting for ${log.info.runtime} to end the cancelled turn`;
    this.#watchdog.watch("cancel", limits.cancelMs, what, { setting: "limits.cancelMs" });
  }

  stop(): void {
    this.#watchdog.stop();
  }
}
