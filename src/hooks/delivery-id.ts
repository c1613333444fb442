import type { HookPayload } from "../schema/hook.ts";
import type { SessionId } from "../schema/id.ts";

/**
 * Returns the id of a session's payload, which is the same for every attempt and every process. Does not contain the
 * payload's `session_id`, because a label can set it, and several sessions can have the same label.
 */
export function deliveryId(sessionId: SessionId, { event, data }: HookPayload): string {
  return `${sessionId}:${event}:${data.seq}`;
}
