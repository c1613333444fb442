import type { RuntimeName } from "../schema/runtime.ts";
import { type EventDraft, warning } from "./draft.ts";
import { HalyardError } from "./error.ts";

/** Lines of a program that are none of its messages: banners and stack traces, or a program that speaks otherwise. */
export class Garbage {
  readonly #runtime: RuntimeName;
  /** How many there were since the last message. */
  #inARow = 0;

  constructor(runtime: RuntimeName) {
    this.#runtime = runtime;
  }

  /** A message has come. */
  endRow(): void {
    this.#inARow = 0;
  }

  /** What is told of the next one: of a long row only the beginning. Throws where it never ends. */
  tell(excerpt: string): EventDraft[] {
    this.#inARow++;
    if (this.#inARow > MOST) {
      const message = `${this.#runtime} wrote ${MOST} lines in a row that are not JSON, the last one: ${excerpt}`;
      throw new HalyardError("agent_failed", message);
    }
    if (this.#inARow < TOLD) return [notJson(this.#runtime, excerpt)];
    if (this.#inARow > TOLD) return [];
    const more = "; what follows of that kind is left out";
    return [notJson(this.#runtime, excerpt + more)];
  }
}

/** More than anybody reads. */
const TOLD = 100;

/** More than a program writes by mistake. */
const MOST = 100_000;

function notJson(runtime: RuntimeName, excerpt: string): EventDraft {
  return warning(`${runtime} wrote a line that is not JSON: ${excerpt}`);
}
