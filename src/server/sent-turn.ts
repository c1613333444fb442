import type { Halyard, Session } from "../contracts/halyard.ts";
import type { Turn } from "../contracts/turn.ts";
import { fromErrorInfo } from "../errors/error.ts";
import { newTurnId } from "../errors/require-id.ts";
import { findOutcome, receivedMessages } from "../halyard/received-messages.ts";
import { receiptOf } from "../halyard/turn-results.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { ErrorCode } from "../schema/error.ts";
import type { SentTurn } from "../schema/http/http.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";

/**
 * Starts a turn, or returns the turn that an earlier call with the same id started. Always starts a turn if `id` is
 * undefined. Throws if the message is rejected and the log contains no event of its turn.
 */
export async function sendOnce(
  halyard: Halyard,
  session: Session,
  id: TurnId | undefined,
  start: (id: TurnId) => Turn,
): Promise<SentTurn> {
  if (id === undefined) return startTurn(session, newTurnId(), start);
  const messages = await receivedMessages(halyard, session);
  const known = messages.get(id);
  const outcome = known && (await findOutcome(halyard, session.id, known));
  if (outcome) {
    const { turnId, receipt = receiptAgain(id, turnId, outcome) } = known;
    return { id: turnId, sessionId: session.id, receipt, outcome };
  }
  const after = session.info.lastSeq;
  const sent = await startTurn(session, id, start); // the session itself recognizes the id while the turn is open
  if (!messages.has(id)) messages.set(id, { turnId: sent.id, after, receipt: sent.receipt });
  return sent;
}

async function startTurn(
  session: Session,
  id: TurnId,
  start: (id: TurnId) => Turn,
): Promise<SentTurn> {
  const running = session.info.turn?.id;
  const turn = start(id);
  const receipt = await turn.accepted;
  if (receipt.status === "failed") {
    const isNoTurn = turn.id !== id && turn.id !== running;
    if (isNoTurn || unrecorded.includes(receipt.error.code)) throw fromErrorInfo(receipt.error);
  }
  const outcome = await Promise.race([turn.outcome, Promise.resolve(undefined)]);
  return { id: turn.id, sessionId: session.id, receipt, ...(outcome && { outcome }) };
}

/** Errors after which the log contains no events of the turn, so that the client can send the message again. */
const unrecorded: readonly ErrorCode[] = [
  "store_full",
  "store_locked",
  "store_failed",
  "store_corrupt",
  "session_stopped",
];

/**
 * Returns the receipt of a repeated message. A message that steered another turn is reported as submitted, regardless
 * of that turn's outcome.
 */
function receiptAgain(id: TurnId, turnId: TurnId, outcome: Outcome): Receipt {
  return turnId === id ? receiptOf(outcome) : { status: "submitted" };
}
