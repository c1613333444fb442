/**
 * A request that sends a user message has the message id in its own id. Droid's response has no other field that
 * identifies the message, and it is read again after an attach.
 */
const PREFIX = "message:";

export const toRequestId = (messageId: string): string => `${PREFIX}${messageId}`;

export function toMessageId(requestId: string): string | undefined {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : undefined;
}
