import { randomUUID } from "node:crypto";
import type { SessionInfo } from "../../../schema/session.ts";
import type { TranscriptEntry, TranscriptPart } from "./transcript-entry.ts";

/** The end of a Pi session file. */
interface PiFileEnd {
  /** False if the file is empty, so that it needs a header. */
  readonly hasHeader: boolean;
  /** The id of the last entry. */
  readonly lastId: string | null;
}

/** Converts entries to lines of a Pi session file, so that Pi can continue another runtime's conversation. */
export function toPiLines(
  entries: readonly TranscriptEntry[],
  { hasHeader, lastId }: PiFileEnd,
  { runtime, model, cwd }: SessionInfo,
): object[] {
  const timestamp = entries[0]?.timestamp ?? "";
  const header = { type: "session", version: 3, id: randomUUID(), timestamp, cwd };
  const toolNames = new Map<string, string>();
  let parentId = lastId;
  const lines = messagesOf(entries).map((message) => {
    const id = randomUUID().slice(0, 8);
    for (const part of message.parts)
      if (part.type === "tool_call") toolNames.set(part.id, part.name);
    const content = toMessage(message, { provider: runtime, model: model?.id ?? "", toolNames });
    const line = { type: "message", id, parentId, timestamp: message.timestamp, message: content };
    parentId = id;
    return line;
  });
  return hasHeader ? lines : [header, ...lines];
}

interface PiMessage {
  readonly role: TranscriptEntry["role"];
  readonly timestamp: string;
  readonly parts: TranscriptPart[];
}

/** Joins consecutive assistant parts, because a model rejects a tool call that is not followed by its result. */
function messagesOf(entries: readonly TranscriptEntry[]): PiMessage[] {
  const messages: PiMessage[] = [];
  for (const { role, timestamp, part } of entries) {
    const last = messages.at(-1);
    if (role === "assistant" && last?.role === "assistant") last.parts.push(part);
    else messages.push({ role, timestamp, parts: [part] });
  }
  return messages;
}

interface Origin {
  readonly provider: string;
  readonly model: string;
  readonly toolNames: ReadonlyMap<string, string>;
}

function toMessage(
  { role, timestamp: at, parts }: PiMessage,
  { provider, model, toolNames }: Origin,
): object {
  const timestamp = Date.parse(at);
  const [first] = parts;
  if (first?.type === "tool_result") {
    const { id: toolCallId, text, isError } = first;
    const toolName = toolNames.get(toolCallId) ?? "unknown";
    const content = [{ type: "text", text }];
    return { role: "toolResult", toolCallId, toolName, content, isError, timestamp };
  }
  const content = parts.map(toContent);
  if (role === "user") return { role, content, timestamp };
  const stopReason = parts.some(({ type }) => type === "tool_call") ? "toolUse" : "stop";
  const origin = { api: "halyard", provider, model }; // Pi converts messages from other models
  return { role, content, ...origin, usage: noUsage, stopReason, timestamp };
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Zero, because the session's log contains the usage. */
const noUsage = { ...noCost, totalTokens: 0, cost: { ...noCost, total: 0 } };

function toContent(part: TranscriptPart): object {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", thinking: part.text };
    case "tool_call":
      return { type: "toolCall", id: part.id, name: part.name, arguments: part.args };
    case "tool_result":
      return { type: "text", text: part.text };
  }
}
