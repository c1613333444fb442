import type { Turn } from "../contracts/turn.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { OpenTurn } from "./turns/open-turn.ts";

/** Options of `viewTurn`. */
export interface TurnViewOptions {
  readonly log: EventLog;
  readonly accepted: Promise<Receipt>;
  readonly cancel: (turn: OpenTurn, reason: string) => Promise<void>;
}

/** Returns the public view of an open turn. */
export function viewTurn(turn: OpenTurn, { log, accepted, cancel }: TurnViewOptions): Turn {
  return {
    id: turn.id,
    accepted,
    outcome: turn.outcome.promise,
    cancel: (reason = "cancelled") => cancel(turn, reason),
    [Symbol.asyncIterator]: () => eventsOf(turn, log),
  };
}

/** Yields the events of one turn, up to its completion. */
async function* eventsOf(turn: OpenTurn, log: EventLog): AsyncGenerator<StreamEvent> {
  const { after, unlogged: signal } = turn;
  for await (const batch of log.followBatches({ after, signal })) {
    for (const event of batch) {
      if (event.turnId !== turn.id) continue;
      yield event;
      if (event.type === "completion") return;
    }
  }
}
