import { isRecord } from "../../../wire/is-record.ts";

/** The fields that identify a message's kind. */
export interface MessageKind {
  /** The message's type: `notification`, `request` or `response`. */
  readonly type?: unknown;
  /** The notification's type. */
  readonly notification?: unknown;
  /** The notification's session id. */
  readonly sessionId?: unknown;
}

/** Reads the fields that identify a message's kind, without validating the message. */
export function messageKind(message: unknown): MessageKind {
  if (!isRecord(message)) return {};
  const { type, params } = message;
  if (type !== "notification" || !isRecord(params)) return { type };
  const { notification, sessionId } = params;
  return { type, sessionId, notification: isRecord(notification) ? notification.type : undefined };
}
