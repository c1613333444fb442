import { Deliveries } from "./deliveries.ts";
import { toMessageId } from "./message-id.ts";
import { DroidMessage } from "./messages.ts";
import { OpenRequests } from "./open-requests.ts";
import { peek } from "./peek.ts";

interface Listeners {
  response(message: unknown): void;
  /** A request of a kind that we do not know: Droid waits for an answer all the same. */
  unknownRequest(id: string): void;
}

/** What a connection has to know of what Droid says. */
export class Hearing {
  readonly deliveries = new Deliveries();
  readonly requests = new OpenRequests();
  /** The session that Droid last spoke of. */
  sessionId: string | undefined;
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** The hot path: most of what comes is of no interest here. */
  hear(message: unknown): void {
    const { type, notification, sessionId } = peek(message);
    if (typeof sessionId === "string") this.sessionId = sessionId;
    if (type === "response") this.#listeners.response(message);
    else if (type === "request") this.#request(message);
    else if (interesting.has(notification)) this.#notification(message);
  }

  #request(message: unknown): void {
    if (this.requests.hear(message) !== undefined) return;
    if (typeof message !== "object" || message === null || !("id" in message)) return;
    if (typeof message.id === "string") this.#listeners.unknownRequest(message.id);
  }

  #notification(message: unknown): void {
    const { data } = DroidMessage.safeParse(message);
    if (data?.type !== "notification") return;
    const told = data.params.notification;
    switch (told.type) {
      case "create_message":
        if (told.requestId !== undefined) this.deliveries.begun(told.requestId);
        break;
      case "agent_turn_completed":
        this.deliveries.over(told.turnId);
        break;
      case "queued_messages_discarded":
        this.deliveries.over(told.requestId && toMessageId(told.requestId));
        break;
      case "permission_resolved":
        this.requests.settle(told.requestId);
        break;
    }
  }
}

const interesting: ReadonlySet<unknown> = new Set([
  "create_message",
  "agent_turn_completed",
  "queued_messages_discarded",
  "permission_resolved",
]);
