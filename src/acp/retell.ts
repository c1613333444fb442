import type { StreamEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import { keyOf, type Narrator } from "./narrator.ts";
import type { Telling } from "./telling.ts";

type Delta = Extract<StreamEvent, { type: "delta" }>;

/** Tells what has been: messages whole, and only what is being said at the end as far as it goes. */
export async function* retell(
  events: AsyncIterable<StreamEvent>,
  narrator: Narrator,
): AsyncGenerator<Telling> {
  const unfinished = new Map<string, Delta>();
  const rest = function* (turnId?: TurnId): Generator<Telling> {
    for (const [key, delta] of unfinished) {
      if (turnId !== undefined && delta.turnId !== turnId) continue;
      yield* narrator.tell(delta);
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
    // What was noted at the time is of no use any more.
    for (const telling of narrator.tell(event)) if (telling.type !== "notice") yield telling;
  }
  yield* rest();
}
