import type { Halyard, Session } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** A message to a turn that has ended. */
export interface EarlierMessage {
  readonly turnId: TurnId;
  readonly outcome: Outcome;
}

const earlier = new WeakMap<Session, Promise<ReadonlyMap<TurnId, EarlierMessage>>>();

/**
 * Messages by their ids, to turns that had ended before this process ran the session: those after that it knows by
 * itself.
 */
export function earlierMessages(
  halyard: Halyard,
  session: Session,
): Promise<ReadonlyMap<TurnId, EarlierMessage>> {
  const known = earlier.get(session) ?? readEarlier(halyard, session);
  earlier.set(session, known);
  return known;
}

async function readEarlier(
  halyard: Halyard,
  { id: sessionId, openedAfter }: Session,
): Promise<ReadonlyMap<TurnId, EarlierMessage>> {
  const messages = new Map<TurnId, EarlierMessage>();
  if (openedAfter === 0) return messages;
  /** Of turns that have not ended as far as was read. */
  const open = new Map<TurnId, TurnId[]>();
  for await (const batch of halyard.batches({ sessionId, follow: false })) {
    for (const event of batch) {
      const { turnId } = event;
      if (event.seq > openedAfter) return messages;
      if (turnId === undefined) continue;
      const ids = open.get(turnId) ?? [turnId];
      const steered = steeredId(event);
      if (steered) open.set(turnId, [...ids, steered]);
      if (event.type !== "completion") continue;
      for (const id of ids) messages.set(id, { turnId, outcome: event.outcome });
      open.delete(turnId);
    }
  }
  return messages;
}

function steeredId(event: StreamEvent): TurnId | undefined {
  if (event.type !== "system" || event.subtype !== "turn_steered") return undefined;
  return TurnId.safeParse(event.data?.id).data;
}
