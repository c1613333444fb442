import { type EventDraft, warning } from "../contracts/event-draft.ts";
import { HalyardError } from "../errors/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";

/** Reports lines in a program's output that are not messages, such as banners and stack traces. */
export class Garbage {
  readonly #runtime: RuntimeName;
  /** The number of consecutive lines that are not messages, up to now. */
  #inARow = 0;

  constructor(runtime: RuntimeName) {
    this.#runtime = runtime;
  }

  /** Ends a series of lines that are not messages. The caller calls this method when a message arrives. */
  endRow(): void {
    this.#inARow = 0;
  }

  /**
   * Returns a warning for a line, or nothing after the first 100 lines of a series. Throws `agent_failed` if a series
   * exceeds 100,000 lines.
   */
  report(excerpt: string): EventDraft[] {
    this.#inARow++;
    if (this.#inARow > MOST) {
      const message = `${this.#runtime} wrote more than ${MOST} lines in a row that are not JSON. Run "halyard runtime doctor" to check the program. Last line: ${excerpt}`;
      throw new HalyardError("agent_failed", message);
    }
    if (this.#inARow < REPORTED) return [notJson(this.#runtime, excerpt)];
    if (this.#inARow > REPORTED) return [];
    const more = "; further lines of this kind are not reported";
    return [notJson(this.#runtime, excerpt + more)];
  }
}

/** The number of lines that are reported at the start of a series. */
const REPORTED = 100;

/** The maximum number of consecutive lines that are not messages. */
const MOST = 100_000;

function notJson(runtime: RuntimeName, excerpt: string): EventDraft {
  return warning(`${runtime} wrote a line that is not JSON: ${excerpt}`);
}
