import { createHash } from "node:crypto";
import type { Halyard, Session } from "../contracts/halyard.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { StreamEvent } from "../schema/event.ts";
import { type SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** A message that a session has received. Contains little data; the log contains the rest. */
interface ReceivedMessage {
  readonly turnId: TurnId;
  /** A `seq` before the completion of the turn, from which `findOutcome` reads. */
  readonly after: number;
  /** The receipt that was returned, if this process returned one. */
  readonly receipt?: Receipt;
}

/** Received messages by id, for messages that the session itself no longer remembers. */
type ReceivedMessages = Map<TurnId, ReceivedMessage>;

const received = new WeakMap<Session, Promise<ReceivedMessages>>();

/** Returns the received messages of a session. Reads earlier messages from the log; the caller adds new ones. */
export function receivedMessages(halyard: Halyard, session: Session): Promise<ReceivedMessages> {
  const known = received.get(session) ?? readReceived(halyard, session);
  received.set(session, known);
  known.catch(() => received.delete(session)); // this caller receives the error, and the next call retries
  return known;
}

/** Returns the outcome of the turn that received a message, or undefined if the turn has not ended. */
export async function findOutcome(
  halyard: Halyard,
  sessionId: SessionId,
  { turnId, after }: ReceivedMessage,
): Promise<Outcome | undefined> {
  for await (const batch of halyard.batches(sessionId, { after, follow: false })) {
    for (const event of batch) {
      if (event.type === "completion" && event.turnId === turnId) return event.outcome;
    }
  }
  return undefined;
}

async function readReceived(
  halyard: Halyard,
  { id: sessionId, openedAfter }: Session,
): Promise<ReceivedMessages> {
  const messages: ReceivedMessages = new Map();
  if (openedAfter === 0) return messages;
  /** Message ids of turns that have not ended so far. */
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
  for await (const batch of halyard.batches(sessionId, { follow: false })) {
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

/** Derives the turn id from an idempotency key. All processes compute the same id. */
export function turnIdOf(sessionId: string, key: string): TurnId {
  const digest = createHash("sha256").update(`${sessionId}\n${key}`).digest();
  const characters = [...digest.subarray(0, 16)].map((byte) => (byte % 36).toString(36));
  return `trn_${characters.join("")}`;
}
