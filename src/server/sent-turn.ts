import { createHash } from "node:crypto";
import type { Halyard, SendOptions, Session } from "../contracts/halyard.ts";
import { fromErrorInfo } from "../errors/error.ts";
import { newTurnId } from "../errors/require-id.ts";
import { receiptOf } from "../halyard/turn-results.ts";
import type { MessageInput } from "../schema/attachment.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { ErrorCode } from "../schema/error.ts";
import type { SentTurn } from "../schema/http.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import { findOutcome, receivedMessages } from "./received-messages.ts";

/** Sends a message once, even if it is called repeatedly with the same id. Throws if the message is rejected. */
export async function sendOnce(
  halyard: Halyard,
  session: Session,
  message: string | MessageInput,
  options: SendOptions & { readonly id?: TurnId | undefined },
): Promise<SentTurn> {
  if (options.id === undefined) return sendMessage(session, message, newTurnId(), options);
  const { id } = options;
  const messages = await receivedMessages(halyard, session);
  const known = messages.get(id);
  const outcome = known && (await findOutcome(halyard, session.id, known));
  if (outcome) {
    const { turnId, receipt = receiptAgain(id, turnId, outcome) } = known;
    return { id: turnId, sessionId: session.id, receipt, outcome };
  }
  const after = session.info.lastSeq;
  const sent = await sendMessage(session, message, id, options); // the session itself recognizes the id of a turn that has not ended
  if (!messages.has(id)) messages.set(id, { turnId: sent.id, after, receipt: sent.receipt });
  return sent;
}

/** Returns the turn id of an idempotency key. All processes compute the same id. */
export function turnIdOf(sessionId: SessionId, key: string): TurnId {
  const digest = createHash("sha256").update(`${sessionId}\n${key}`).digest();
  const characters = [...digest.subarray(0, 16)].map((byte) => (byte % 36).toString(36));
  return `trn_${characters.join("")}`;
}

async function sendMessage(
  session: Session,
  message: string | MessageInput,
  id: TurnId,
  options: SendOptions,
): Promise<SentTurn> {
  const running = session.info.turn?.id;
  const turn = session.send(message, { ...options, id });
  const receipt = await turn.accepted;
  if (receipt.status === "failed") {
    const isNoTurn = turn.id !== id && turn.id !== running;
    if (isNoTurn || unrecorded.includes(receipt.error.code)) throw fromErrorInfo(receipt.error);
  }
  const outcome = await Promise.race([turn.outcome, Promise.resolve(undefined)]);
  return { id: turn.id, sessionId: session.id, receipt, ...(outcome && { outcome }) };
}

/** Errors after which the log contains no event of the turn, so that the message can be sent again. */
const unrecorded: readonly ErrorCode[] = [
  "store_full",
  "store_locked",
  "store_failed",
  "store_corrupt",
  "session_stopped",
];

/**
 * Returns the receipt of a repeated message. A message that steered another turn counts as submitted, whatever the
 * outcome of the turn.
 */
function receiptAgain(id: TurnId, turnId: TurnId, outcome: Outcome): Receipt {
  return turnId === id ? receiptOf(outcome) : { status: "submitted" };
}
