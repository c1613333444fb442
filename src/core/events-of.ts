import type { StreamEvent } from "../schema/event.ts";
import type { EventLog } from "./event-log.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The events of one turn, up to its completion. */
export async function* eventsOf(turn: OpenTurn, log: EventLog): AsyncGenerator<StreamEvent> {
  const { after, untold: signal } = turn;
  for await (const batch of log.followBatches({ after, signal })) {
    for (const event of batch) {
      if (event.turnId !== turn.id) continue;
      yield event;
      if (event.type === "completion") return;
    }
  }
}
