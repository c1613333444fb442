import { isRecord } from "../../wire/is-record.ts";
import { SessionUpdate, type Update } from "./messages.ts";

type Piece = Update<"agent_message_chunk" | "agent_thought_chunk">;

/** What an agent tells, and of which session. */
export interface UpdateNote {
  readonly sessionId: string;
  readonly update: unknown;
}

/** Undefined for what is no update. */
export function readNote(params: unknown): UpdateNote | undefined {
  if (!isRecord(params) || typeof params.sessionId !== "string") return undefined;
  return { sessionId: params.sessionId, update: params.update };
}

/** Undefined for what is not known. What a model streams comes by the thousand, and is told apart without a schema. */
export function readUpdate(update: unknown): SessionUpdate | undefined {
  return isPiece(update) ? update : SessionUpdate.safeParse(update).data;
}

function isPiece(update: unknown): update is Piece {
  if (!isRecord(update)) return false;
  const { sessionUpdate, messageId, content } = update;
  if (sessionUpdate !== "agent_message_chunk" && sessionUpdate !== "agent_thought_chunk")
    return false;
  if (messageId != null && typeof messageId !== "string") return false;
  return isRecord(content) && content.type === "text" && typeof content.text === "string";
}
