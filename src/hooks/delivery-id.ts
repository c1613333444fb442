import type { HookPayload } from "../schema/hook.ts";

/** Returns the id of a payload, which is the same for every attempt and every process. */
export function deliveryId({ session_id, event, data }: HookPayload): string {
  return `${session_id}:${event}:${data.seq}`;
}
