import { isRecord } from "../../wire/is-record.ts";
/** What kind of message it is, without a look at the rest of it. */
export interface Glance {
  /** `notification`, `request` or `response`. */
  readonly type?: unknown;
  /** The kind of a notification. */
  readonly notification?: unknown;
  /** The session that a notification is about. */
  readonly sessionId?: unknown;
}

export function peek(message: unknown): Glance {
  if (!isRecord(message)) return {};
  const { type, params } = message;
  if (type !== "notification" || !isRecord(params)) return { type };
  const { notification, sessionId } = params;
  return { type, sessionId, notification: isRecord(notification) ? notification.type : undefined };
}
