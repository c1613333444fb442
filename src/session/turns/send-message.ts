import type { StoredEvent } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import { newTurnId } from "../../errors/require-id.ts";
import type { Receipt } from "../../schema/delivery.ts";
import { turnInput } from "../attachments/turn-input.ts";
import type { SessionParts } from "../session-parts.ts";
import type { Correction, OpenTurn } from "./open-turn.ts";

type SendParts = Pick<
  SessionParts,
  "attachments" | "capabilities" | "checkpoints" | "connection" | "log" | "trace"
>;

/** Sends the message of a turn to the runtime, or starts the compaction. */
export async function sendMessage(parts: SendParts, turn: OpenTurn): Promise<Receipt> {
  const { attachments: files, capabilities, checkpoints, connection, trace } = parts;
  const { id: turnId, text, attachments, check } = turn;
  const message = { text, attachments, schema: check?.schema };
  const sent = turn.isCompaction
    ? compact(parts, turn)
    : connection.send(await turnInput(message, { turnId, files, capabilities, trace }));
  // Called after the message is sent, so that the message does not wait for git to start.
  checkpoints?.beforeTurn(turnId, () => turn.hasBegun);
  return sent;
}

function compact({ connection, log }: SendParts, { id: turnId }: OpenTurn): Promise<Receipt> {
  if (connection.compact) return connection.compact({ turnId });
  throw new HalyardError(
    "unsupported",
    `${log.info.runtime} cannot compact a conversation. Start a new session to begin with an empty context.`,
  );
}

/**
 * Continues a suspended turn: sends `continuation`, or the turn's message again if `continuation` is undefined. If the turn
 * is a compaction, starts the compaction again.
 */
export async function sendAgain(
  parts: SendParts,
  turn: OpenTurn,
  continuation: string | undefined,
): Promise<Receipt> {
  if (turn.isCompaction) return sendMessage(parts, turn);
  const { attachments: files, capabilities, connection } = parts;
  const { text, attachments, check } = turn;
  const own =
    continuation === undefined ? { text, attachments } : { text: continuation, attachments: [] };
  const message = { ...own, schema: check?.schema };
  return connection.send(await turnInput(message, { turnId: newTurnId(), files, capabilities }));
}

/** Requests another answer. The message has a new id, because runtimes accept each id only once. */
export async function sendCorrection(
  { attachments: files, capabilities, connection }: SendParts,
  { check }: OpenTurn,
  { text }: Correction,
): Promise<Receipt> {
  const message = { text, attachments: [], schema: check?.schema };
  return connection.send(await turnInput(message, { turnId: newTurnId(), files, capabilities }));
}

/** Returns the events to log for a rejected answer. */
export function correctionEvents(
  { check }: OpenTurn,
  { owed, problems }: Correction,
): readonly StoredEvent[] {
  const text = `The answer does not match the schema: ${problems.join(" ")}`;
  return [...owed, { type: "system", subtype: "retry", text, data: { ...check?.record } }];
}
