import { z } from "zod";
import { branchTo } from "./branch.ts";
import type { SessionContent, SessionContentOf, SessionMessage } from "./session-file.ts";

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });

const Part = z.union([
  Text,
  z.looseObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.looseObject({
    type: z.literal("image"),
    source: z.looseObject({ data: z.string(), media_type: z.string() }),
  }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.unknown())]).optional(),
    is_error: z.boolean().nullish(),
  }),
]);
type Part = z.infer<typeof Part>;

/** Any entry in the tree: a message or another record. */
const Link = z.looseObject({
  uuid: z.string(),
  parentUuid: z.string().nullish(),
  isSidechain: z.boolean().default(false),
});

const MessageEntry = z.looseObject({
  type: z.enum(["user", "assistant"]),
  uuid: z.string(),
  sessionId: z.string().optional(),
  cwd: z.string().optional(),
  timestamp: z.string().optional(),
  message: z.looseObject({
    /** The message's id. Several entries can belong to one message. */
    id: z.string().optional(),
    content: z.union([z.string(), z.array(z.unknown())]),
  }),
});
type MessageEntry = z.infer<typeof MessageEntry>;

/**
 * Reads a Claude Agent SDK session file, whose entries form a tree. Returns only the branch that ends at the last message,
 * with all parts of its messages and the results of their tool calls.
 */
export function readCcSdkMessages(lines: readonly unknown[]): SessionContentOf {
  const links = lines
    .flatMap((line) => Link.safeParse(line).data ?? [])
    .filter(({ isSidechain }) => !isSidechain);
  const entries = links.flatMap((link) => MessageEntry.safeParse(link).data ?? []);
  const byId = new Map(links.map((link) => [link.uuid, link]));
  const leaf = byId.get(entries.at(-1)?.uuid ?? "");
  const branch = branchTo(leaf, ({ parentUuid }) => byId.get(parentUuid ?? ""));
  const ids = new Set([...branch].map(({ uuid }) => uuid));
  const answers = new Set(entries.filter(({ uuid }) => ids.has(uuid)).map(answerOf));
  const spoken = new Set(entries.filter((one) => ids.has(one.uuid) || answers.has(answerOf(one))));
  const calls = new Set([...spoken].flatMap((one) => idsOf(toMessage(one), "tool_call")));
  const isResult = (message: SessionMessage) =>
    idsOf(message, "tool_result").some((id) => calls.has(id));
  const messages = entries
    .map((one) => ({ message: toMessage(one), isSpoken: spoken.has(one) }))
    .filter(({ message, isSpoken }) => isSpoken || isResult(message));
  const { sessionId, cwd } = entries.at(-1) ?? {};
  const metadata = { ...(sessionId && { sessionId }), ...(cwd && { cwd }) };
  return { metadata, messages: messages.map(({ message }) => message) };
}

/** Returns the id of an entry's message. Several concurrent tool calls share it, although only one of them is on the branch. */
function answerOf({ uuid, message }: MessageEntry): string {
  return message.id ?? uuid;
}

function idsOf({ content }: SessionMessage, type: "tool_call" | "tool_result"): string[] {
  return content.flatMap((part) => (part.type === type ? [part.id] : []));
}

function toMessage(entry: MessageEntry): SessionMessage {
  const { type, uuid: id, timestamp } = entry;
  const parts = entry.message.content;
  const content =
    typeof parts === "string" ? [{ type: "text", text: parts } as const] : parts.flatMap(toContent);
  const isResult = content.some((part) => part.type === "tool_result");
  const role = isResult ? "tool_result" : type;
  return { id, role, ...(timestamp !== undefined && { timestamp }), content };
}

function toContent(part: unknown): SessionContent[] {
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
      return { type: "image", data: part.source.data, mimeType: part.source.media_type };
    case "tool_use":
      return { type: "tool_call", id: part.id, name: part.name, args: part.input };
    case "tool_result": {
      const { tool_use_id: id, content = "", is_error } = part;
      const texts = typeof content === "string" ? [content] : content.map(textOf);
      return { type: "tool_result", id, text: texts.join(""), isError: is_error ?? false };
    }
  }
}

function textOf(part: unknown): string {
  return Text.safeParse(part).data?.text ?? "";
}
