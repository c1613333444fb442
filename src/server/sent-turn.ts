import { createHash } from "node:crypto";
import { fromErrorInfo } from "../core/error.ts";
import type { Halyard, SendOptions, Session } from "../core/halyard.ts";
import { newTurnId } from "../core/id.ts";
import { receiptOf } from "../core/turn-results.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { SentTurn } from "../schema/http.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import { type EarlierMessage, earlierMessages } from "./earlier-messages.ts";

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
    const known = (await earlierMessages(halyard, session)).get(id);
    if (known) return answerAgain(sessionId, id, known);
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

/** Words for a turn that had ended by now were part of it, however it ended. */
function answerAgain(
  sessionId: SessionId,
  id: TurnId,
  { turnId, outcome }: EarlierMessage,
): SentTurn {
  const receipt: Receipt = turnId === id ? receiptOf(outcome) : { status: "submitted" };
  return { id: turnId, sessionId, receipt, outcome };
}
