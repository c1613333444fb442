import { createHash } from "node:crypto";
import { fromErrorInfo } from "../core/error.ts";
import type { Halyard, SendOptions, Session } from "../core/halyard.ts";
import { newTurnId } from "../core/id.ts";
import { receiptOf } from "../core/turn-results.ts";
import type { SentTurn } from "../schema/http.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/** Sends a message once, however often it is asked to under one id. What was refused is thrown. */
export async function sendOnce(
  halyard: Halyard,
  session: Session,
  text: string,
  options: SendOptions,
): Promise<SentTurn> {
  const { id = newTurnId() } = options;
  const sessionId = session.id;
  if (options.id !== undefined) {
    const outcome = (await earlierTurns(halyard, session)).get(id);
    if (outcome) return { id, sessionId, receipt: receiptOf(outcome), outcome };
  }
  const running = session.info.turn?.id;
  const turn = session.send(text, { ...options, id });
  const receipt = await turn.accepted;
  const isRefused = turn.id !== id && turn.id !== running;
  if (isRefused && receipt.status === "failed") throw fromErrorInfo(receipt.error);
  const outcome = await Promise.race([turn.outcome, Promise.resolve(undefined)]);
  return { id: turn.id, sessionId, receipt, ...(outcome && { outcome }) };
}

/** The turn that a key stands for: the same one in whatever process. */
export function turnIdOf(sessionId: SessionId, key: string): TurnId {
  const digest = createHash("sha256").update(`${sessionId}\n${key}`).digest();
  const characters = [...digest.subarray(0, 16)].map((byte) => (byte % 36).toString(36));
  return `trn_${characters.join("")}`;
}

const earlier = new WeakMap<Session, Promise<ReadonlyMap<TurnId, Outcome>>>();

/** The turns that had ended before this process ran the session: those after that it knows by itself. */
function earlierTurns(halyard: Halyard, session: Session): Promise<ReadonlyMap<TurnId, Outcome>> {
  const known = earlier.get(session) ?? readEarlierTurns(halyard, session);
  earlier.set(session, known);
  return known;
}

async function readEarlierTurns(
  halyard: Halyard,
  { id: sessionId, openedAfter }: Session,
): Promise<ReadonlyMap<TurnId, Outcome>> {
  const turns = new Map<TurnId, Outcome>();
  if (openedAfter === 0) return turns;
  for await (const batch of halyard.batches({ sessionId, follow: false })) {
    for (const event of batch) {
      if (event.seq > openedAfter) return turns;
      if (event.type === "completion" && event.turnId) turns.set(event.turnId, event.outcome);
    }
  }
  return turns;
}
