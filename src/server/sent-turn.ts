import { createHash } from "node:crypto";
import { fromErrorInfo } from "../core/error.ts";
import type { Halyard, SendOptions, Session } from "../core/halyard.ts";
import { newTurnId } from "../core/id.ts";
import { receiptOf } from "../core/turn-results.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { ErrorCode } from "../schema/error.ts";
import type { SentTurn } from "../schema/http.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import { findOutcome, takenMessages } from "./taken-messages.ts";

/** Sends a message once, however often it is asked to under one id. What was refused is thrown. */
export async function sendOnce(
  halyard: Halyard,
  session: Session,
  text: string,
  options: SendOptions & { readonly id?: TurnId | undefined },
): Promise<SentTurn> {
  if (options.id === undefined) return sendMessage(session, text, newTurnId(), options);
  const { id } = options;
  const messages = await takenMessages(halyard, session);
  const known = messages.get(id);
  const outcome = known && (await findOutcome(halyard, session.id, known));
  if (outcome) {
    const { turnId, receipt = receiptAgain(id, turnId, outcome) } = known;
    return { id: turnId, sessionId: session.id, receipt, outcome };
  }
  const after = session.info.lastSeq;
  const sent = await sendMessage(session, text, id, options); // one that has not ended is known to the session
  if (!messages.has(id)) messages.set(id, { turnId: sent.id, after, receipt: sent.receipt });
  return sent;
}

/** The turn that a key stands for: the same one in whatever process. */
export function turnIdOf(sessionId: SessionId, key: string): TurnId {
  const digest = createHash("sha256").update(`${sessionId}\n${key}`).digest();
  const characters = [...digest.subarray(0, 16)].map((byte) => (byte % 36).toString(36));
  return `trn_${characters.join("")}`;
}

async function sendMessage(
  session: Session,
  text: string,
  id: TurnId,
  options: SendOptions,
): Promise<SentTurn> {
  const running = session.info.turn?.id;
  const turn = session.send(text, { ...options, id });
  const receipt = await turn.accepted;
  if (receipt.status === "failed") {
    const isNoTurn = turn.id !== id && turn.id !== running;
    if (isNoTurn || unrecorded.includes(receipt.error.code)) throw fromErrorInfo(receipt.error);
  }
  const outcome = await Promise.race([turn.outcome, Promise.resolve(undefined)]);
  return { id: turn.id, sessionId: session.id, receipt, ...(outcome && { outcome }) };
}

/** What failed like this is in no log, and may be sent again. */
const unrecorded: readonly ErrorCode[] = [
  "store_full",
  "store_locked",
  "store_failed",
  "store_corrupt",
  "session_stopped",
];

/** Words for a turn that had ended by now were part of it, however it ended. */
function receiptAgain(id: TurnId, turnId: TurnId, outcome: Outcome): Receipt {
  return turnId === id ? receiptOf(outcome) : { status: "submitted" };
}
