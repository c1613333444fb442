import { z } from "zod";
import { branchTo } from "./branch.ts";
import type { SessionContent, SessionContentOf, SessionMessage } from "./session-file.ts";

const Header = z.looseObject({
  type: z.literal("session"),
  id: z.string(),
  cwd: z.string().optional(),
});

const Part = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
  z.looseObject({
    type: z.literal("toolCall"),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
  }),
]);
type Part = z.infer<typeof Part>;

const Entry = z.looseObject({
  type: z.string(),
  id: z.string(),
  parentId: z.string().nullish(),
  timestamp: z.string().optional(),
  message: z
    .looseObject({
      role: z.enum(["user", "assistant", "toolResult"]),
      content: z.union([z.string(), z.array(z.unknown())]),
      toolCallId: z.string().optional(),
      isError: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});
type Entry = z.infer<typeof Entry>;

/** Reads a Pi session file. Its entries form a tree; only the branch that ends at the last entry is returned. */
export function readPiMessages(lines: readonly unknown[]): SessionContentOf {
  const header = lines.flatMap((line) => Header.safeParse(line).data ?? [])[0];
  const entries = lines.flatMap((line) => Entry.safeParse(line).data ?? []);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch = branchTo(entries.at(-1), ({ parentId }) => byId.get(parentId ?? ""));
  const metadata = {
    ...(header && { sessionId: header.id }),
    ...(header?.cwd !== undefined && { cwd: header.cwd }),
  };
  return { metadata, messages: [...branch].toReversed().flatMap(toMessage) };
}

function toMessage({ id, timestamp, message }: Entry): SessionMessage[] {
  if (message === undefined) return [];
  const parts = typeof message.content === "string" ? [message.content] : message.content;
  const content = parts.flatMap(toContent);
  const base = { id, ...(timestamp !== undefined && { timestamp }) };
  if (message.role !== "toolResult") return [{ ...base, role: message.role, content }];
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const { toolCallId = "", isError = false } = message;
  const result = { type: "tool_result", id: toolCallId, text, isError } as const;
  return [{ ...base, role: "tool_result", content: [result] }];
}

function toContent(part: unknown): SessionContent[] {
  if (typeof part === "string") return [{ type: "text", text: part }];
  const { data } = Part.safeParse(part);
  return data ? [fromPart(data)] : [];
}

function fromPart(part: Part): SessionContent {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "thinking":
      return { type: "thinking", text: part.thinking };
    case "image":
      return { type: "image", data: part.data, mimeType: part.mimeType };
    case "toolCall":
      return { type: "tool_call", id: part.id, name: part.name, args: part.arguments };
  }
}
