/**
 * The id of the request that brings a message of ours holds the message's own id: Droid's bare answer then tells
 * which message it took, also to whoever reads the answer again after an attach.
 */
const PREFIX = "message:";

export const toRequestId = (messageId: string): string => `${PREFIX}${messageId}`;

export function toMessageId(requestId: string): string | undefined {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : undefined;
}
