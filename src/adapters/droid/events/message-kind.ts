import { isRecord } from "../../../wire/is-record.ts";

/** The fields that identify the kind of a message. */
export interface MessageKind {
  /** `notification`, `request` or `response`. */
  readonly type?: unknown;
  /** The type of a notification. */
  readonly notification?: unknown;
  /** The session of a notification. */
  readonly sessionId?: unknown;
}

/** Reads the kind of a message without parsing the message. */
export function messageKind(message: unknown): MessageKind {
  if (!isRecord(message)) return {};
  const { type, params } = message;
  if (type !== "notification" || !isRecord(params)) return { type };
  const { notification, sessionId } = params;
  return { type, sessionId, notification: isRecord(notification) ? notification.type : undefined };
}
