import type { StreamEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { AgentUpdate } from "./agent-update.ts";
import { keyOf, type UpdateMapper } from "./update-mapper.ts";

type Delta = Extract<StreamEvent, { type: "delta" }>;

/**
 * Yields the updates of past events, without notices. Yields each message as a whole, and the partial text of a message
 * that is not complete.
 */
export async function* replayUpdates(
  events: AsyncIterable<StreamEvent>,
  mapper: UpdateMapper,
): AsyncGenerator<AgentUpdate> {
  const unfinished = new Map<string, Delta>();
  const rest = function* (turnId?: TurnId): Generator<AgentUpdate> {
    for (const [key, delta] of unfinished) {
      if (turnId !== undefined && delta.turnId !== turnId) continue;
      yield* mapper.map(delta);
      unfinished.delete(key);
    }
  };
  for await (const event of events) {
    if (event.type === "delta") {
      const key = keyOf(event);
      const before = unfinished.get(key)?.text ?? "";
      unfinished.set(key, { ...event, text: before + event.text });
      continue;
    }
    if (event.type === "message") unfinished.delete(keyOf(event));
    if (event.type === "system" && event.subtype === "retry") unfinished.clear();
    if (event.type === "completion") yield* rest(event.turnId);
    // Notices are skipped, because past notices are no longer useful.
    for (const update of mapper.map(event)) if (update.type !== "notice") yield update;
  }
  yield* rest();
}
