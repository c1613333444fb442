import { randomUUID } from "node:crypto";
import type { SessionInfo } from "../../../schema/session.ts";
import type { TranscriptEntry, TranscriptPart } from "./transcript-entry.ts";

/** Converts entries to lines of a Claude Agent SDK session file. */
export function toCcSdkLines(
  entries: readonly TranscriptEntry[],
  lastId: string | null,
  { runtimeSessionId, id, cwd }: SessionInfo,
): object[] {
  let parentUuid = lastId;
  return entries.map(({ role, timestamp, part }) => {
    const uuid = randomUUID();
    const type = role === "assistant" ? "assistant" : "user";
    const message = { role: type, content: [toContent(part)] };
    const sessionId = runtimeSessionId ?? id;
    const line = { type, uuid, parentUuid, timestamp, sessionId, cwd, message };
    parentUuid = uuid;
    return line;
  });
}

function toContent(part: TranscriptPart): object {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", thinking: part.text };
    case "tool_call":
      return { type: "tool_use", id: part.id, name: part.name, input: part.args };
    case "tool_result": {
      const { id: tool_use_id, text: content, isError: is_error } = part;
      return { type: "tool_result", tool_use_id, content, is_error };
    }
  }
}
