/**
 * The prefix of request ids that contain the id of a user message. Droid's response has no other field that identifies
 * the message, and the response is read again after an attach.
 */
const PREFIX = "message:";

export const toRequestId = (messageId: string): string => `${PREFIX}${messageId}`;

export function toMessageId(requestId: string): string | undefined {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : undefined;
}
