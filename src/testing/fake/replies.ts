import { Reply } from "./messages.ts";

/** The id that stands for a hello message, which itself contains no id. */
export const HELLO = "hello";

/** Parses a reply. Returns undefined for other messages. */
export function readReply(message: unknown): Reply | undefined {
  return mayBeReply(message) ? Reply.safeParse(message).data : undefined;
}

/** True if a message may be a reply. Checks only the type, because parsing every message would be slow. */
function mayBeReply(message: unknown): boolean {
  return (
    typeof message === "object" &&
    message !== null &&
    "type" in message &&
    replyTypes.has(message.type)
  );
}

const replyTypes = new Set<unknown>(Reply.options.map(({ shape }) => shape.type.value));

/** Returns the id of the message that a reply belongs to. */
export function answeredBy(reply: Reply): string {
  return "id" in reply && typeof reply.id === "string" ? reply.id : HELLO;
}
