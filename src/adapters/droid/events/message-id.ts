/**
 * The prefix of request ids that contain the id of a user message. Droid's response has no other field that identifies
 * the message, and the response is read again after an attach.
 */
const PREFIX = "message:";

/** Returns the id of the request that sends a user message. */
export const toRequestId = (messageId: string): string => `${PREFIX}${messageId}`;

/** Returns the message id in a request id, or undefined if the request did not send a user message. */
export function toMessageId(requestId: string): string | undefined {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : undefined;
}
