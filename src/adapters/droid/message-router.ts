import { Deliveries } from "./deliveries.ts";
import { toMessageId } from "./events/message-id.ts";
import { messageKind } from "./events/message-kind.ts";
import { DroidMessage } from "./messages.ts";
import { OpenRequests } from "./requests/open-requests.ts";

interface Listeners {
  response(message: unknown): void;
  /** Called for a request that is unknown or malformed. Droid waits for a response to the request. */
  unknownRequest(id: string): void;
}

/** Routes Droid's messages to the parts of a connection that wait for them. */
export class MessageRouter {
  readonly deliveries = new Deliveries();
  readonly requests = new OpenRequests();
  /** The session id of the last notification. */
  sessionId: string | undefined;
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Routes a message. This is a hot path, so only a few kinds of messages are parsed. */
  route(message: unknown): void {
    const { type, notification, sessionId } = messageKind(message);
    if (typeof sessionId === "string") this.sessionId = sessionId;
    if (type === "response") this.#listeners.response(message);
    else if (type === "request") this.#request(message);
    else if (routedNotifications.has(notification)) this.#notification(message);
  }

  #request(message: unknown): void {
    if (this.requests.add(message) !== undefined) return;
    if (typeof message !== "object" || message === null || !("id" in message)) return;
    if (typeof message.id === "string") this.#listeners.unknownRequest(message.id);
  }

  #notification(message: unknown): void {
    const { data } = DroidMessage.safeParse(message);
    if (data?.type !== "notification") return;
    const { notification } = data.params;
    switch (notification.type) {
      case "create_message":
        if (notification.requestId !== undefined) this.deliveries.confirm(notification.requestId);
        break;
      case "agent_turn_completed":
        this.deliveries.settle(notification.turnId);
        break;
      case "queued_messages_discarded":
        this.deliveries.settle(notification.requestId && toMessageId(notification.requestId));
        break;
      case "permission_resolved":
        this.requests.settle(notification.requestId);
        break;
    }
  }
}

const routedNotifications: ReadonlySet<unknown> = new Set([
  "create_message",
  "agent_turn_completed",
  "queued_messages_discarded",
  "permission_resolved",
]);
