import type { SystemEvent } from "../schema/event.ts";
import type { EventLog } from "./event-log.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { Redactor } from "./redaction.ts";
import type { SteeredWords } from "./restore.ts";
import type { StoredEvent } from "./store.ts";

/** What the log says of messages on their way to the runtime. */
export class MessageRecord {
  readonly #log: EventLog;
  readonly #redactor: Redactor;

  constructor(log: EventLog, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
  }

  /** It has to wait for its turn. */
  async queued(turn: OpenTurn): Promise<void> {
    await this.#log.append(this.#tell("turn_queued", turn.text), { turnId: turn.id });
    turn.onRecord ??= "queued";
  }

  /** It is its turn. One that is on record already may wait for the store. */
  async started(turn: OpenTurn, turnCursor: number): Promise<void> {
    const { id, text, onRecord } = turn;
    const waits = onRecord !== undefined;
    const options = { turnId: id, turnCursor, unsent: id, waits };
    await this.#log.append(this.#tell("turn_started", text), options);
    turn.onRecord = "started";
  }

  /** It goes into a turn under way. */
  steered(turn: OpenTurn, { id, text }: SteeredWords): Promise<void> {
    const events = this.#tell("turn_steered", text, { id });
    return this.#log.append(events, { turnId: turn.id, unsent: id });
  }

  /** From here on what is on record counts as given to the runtime: should we die now, nobody gives it again. */
  beingGiven(): Promise<void> {
    return this.#log.append([], { unsent: null, waits: true });
  }

  #tell(subtype: SystemEvent["subtype"], text: string, data?: SystemEvent["data"]): StoredEvent[] {
    return this.#redactor.redact([{ type: "system", subtype, text, ...(data && { data }) }]);
  }
}
