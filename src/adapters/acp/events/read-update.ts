import { isRecord } from "../../../wire/is-record.ts";
import { SessionUpdate, type Update } from "../messages.ts";

type TextChunk = Update<"agent_message_chunk" | "agent_thought_chunk">;

/** The parameters of `session/update`. */
export interface UpdateParams {
  readonly sessionId: string;
  readonly update: unknown;
}

/** Reads the parameters of `session/update`. Returns undefined if they are invalid. */
export function readUpdateParams(params: unknown): UpdateParams | undefined {
  if (!isRecord(params) || typeof params.sessionId !== "string") return undefined;
  return { sessionId: params.sessionId, update: params.update };
}

/**
 * Parses an update. Returns undefined for an unknown update. Text chunks bypass the schema, because they are frequent.
 */
export function readUpdate(update: unknown): SessionUpdate | undefined {
  return isTextChunk(update) ? update : SessionUpdate.safeParse(update).data;
}

function isTextChunk(update: unknown): update is TextChunk {
  if (!isRecord(update)) return false;
  const { sessionUpdate, messageId, content } = update;
  if (sessionUpdate !== "agent_message_chunk" && sessionUpdate !== "agent_thought_chunk")
    return false;
  if (messageId != null && typeof messageId !== "string") return false;
  return isRecord(content) && content.type === "text" && typeof content.text === "string";
}
