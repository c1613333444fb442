import type { Halyard, Session } from "../core/halyard.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import { type SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** A message that a session has taken: little enough to be kept of each, since the log has the rest. */
interface TakenMessage {
  readonly turnId: TurnId;
  /** The end of its turn comes after this place in the log. */
  readonly after: number;
  /** As it was answered, where that was here. */
  readonly receipt?: Receipt;
}

/** Messages by their ids, for whoever sends one again when the session itself has long forgotten it. */
type TakenMessages = Map<TurnId, TakenMessage>;

const taken = new WeakMap<Session, Promise<TakenMessages>>();

/** Those from before this process ran the session, as the log has them; those after are added as they are taken. */
export function takenMessages(halyard: Halyard, session: Session): Promise<TakenMessages> {
  const known = taken.get(session) ?? readTaken(halyard, session);
  taken.set(session, known);
  known.catch(() => taken.delete(session)); // whoever asks hears of it, and the next one tries again
  return known;
}

/** How the turn that a message went into has ended; undefined where it has not. */
export async function findOutcome(
  halyard: Halyard,
  sessionId: SessionId,
  { turnId, after }: TakenMessage,
): Promise<Outcome | undefined> {
  for await (const batch of halyard.batches({ sessionId, after, follow: false })) {
    for (const event of batch) {
      if (event.type === "completion" && event.turnId === turnId) return event.outcome;
    }
  }
  return undefined;
}

async function readTaken(
  halyard: Halyard,
  { id: sessionId, openedAfter }: Session,
): Promise<TakenMessages> {
  const messages: TakenMessages = new Map();
  if (openedAfter === 0) return messages;
  /** Of turns that have not ended as far as was read. */
  const open = new Map<TurnId, TurnId[]>();
  const add = (turnId: TurnId, after: number) => {
    for (const id of open.get(turnId) ?? []) messages.set(id, { turnId, after });
  };
  for await (const event of eventsUntil(halyard, sessionId, openedAfter)) {
    const { turnId } = event;
    if (turnId === undefined) continue;
    const ids = open.get(turnId) ?? [turnId];
    const steered = steeredId(event);
    open.set(turnId, steered ? [...ids, steered] : ids);
    if (event.type !== "completion") continue;
    add(turnId, event.seq - 1);
    open.delete(turnId);
  }
  for (const turnId of open.keys()) add(turnId, openedAfter);
  return messages;
}

async function* eventsUntil(
  halyard: Halyard,
  sessionId: SessionId,
  last: number,
): AsyncGenerator<StreamEvent> {
  for await (const batch of halyard.batches({ sessionId, follow: false })) {
    for (const event of batch) {
      if (event.seq > last) return;
      yield event;
    }
  }
}

function steeredId(event: StreamEvent): TurnId | undefined {
  if (event.type !== "system" || event.subtype !== "turn_steered") return undefined;
  return TurnId.safeParse(event.data?.id).data;
}
