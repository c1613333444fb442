import { Reply } from "./messages.ts";

/** Stands for the id of a hello, which has none. */
export const HELLO = "hello";

/** Undefined for what is no reply. */
export function readReply(message: unknown): Reply | undefined {
  return mayBeReply(message) ? Reply.safeParse(message).data : undefined;
}

/** Most messages are not, and to parse each of them would be felt. */
function mayBeReply(message: unknown): boolean {
  return (
    typeof message === "object" &&
    message !== null &&
    "type" in message &&
    replyTypes.has(message.type)
  );
}

const replyTypes = new Set<unknown>(Reply.options.map(({ shape }) => shape.type.value));

/** The id of what was asked. */
export function answeredBy(reply: Reply): string {
  return reply.type === "accepted" || reply.type === "refused" ? reply.id : HELLO;
}
