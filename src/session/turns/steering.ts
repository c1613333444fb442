import type { Connection } from "../../contracts/adapter.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Capability } from "../../schema/runtime.ts";
import type { AttachmentFiles } from "../attachments/attachment-files.ts";
import { turnInput } from "../attachments/turn-input.ts";
import type { RestoredMessage, SteeredMessage } from "../recovery/restore.ts";
import type { SessionParts } from "../session-parts.ts";
import type { KnownMessages } from "./known-messages.ts";
import type { MessageRecord } from "./message-record.ts";
import type { OpenTurn } from "./open-turn.ts";

/** Sends messages to the running turn. The runtime receives each message at most once. */
export class Steering {
  readonly #connection: Connection;
  readonly #parts: {
    readonly files: AttachmentFiles;
    readonly capabilities: readonly Capability[];
  };
  readonly #record: MessageRecord;
  readonly #known: KnownMessages;

  constructor(
    parts: Pick<SessionParts, "attachments" | "capabilities" | "connection">,
    record: MessageRecord,
    known: KnownMessages,
  ) {
    this.#connection = parts.connection;
    this.#parts = { files: parts.attachments, capabilities: parts.capabilities };
    this.#record = record;
    this.#known = known;
  }

  steer(turn: OpenTurn, message: SteeredMessage): Promise<Receipt> {
    const accepted = turn.sent.promise.then(() => this.#steer(turn, message));
    this.#known.add(message.id, { turn, accepted });
    return accepted;
  }

  /** Adds messages that an earlier process recorded. They are not sent again, because the runtime may have received them. */
  takeUp(steered: readonly RestoredMessage[]): void {
    for (const { turn, id } of steered) {
      this.#known.add(id, { turn, accepted: turn.accepted.promise });
    }
  }

  async #steer(turn: OpenTurn, message: SteeredMessage): Promise<Receipt> {
    try {
      await this.#record.steered(turn, message);
    } catch (error) {
      this.#known.forget(message.id);
      return notDelivered(error);
    }
    try {
      if (turn.stage === "closed" || turn.stage === "suspended") throw tooLate();
      const input = await turnInput(message, { turnId: turn.id, ...this.#parts });
      return await this.#connection.steer(input);
    } catch (error) {
      return notDelivered(error);
    }
  }
}

/**
 * Returns the turn that a steered message joins: the first open turn, even if it has not started yet. Returns undefined
 * if there is no open turn, or if the first one is suspended.
 */
export function steerable([first]: readonly OpenTurn[]): OpenTurn | undefined {
  return first?.stage === "suspended" ? undefined : first;
}

function tooLate(): HalyardError {
  return new HalyardError(
    "delivery_failed",
    "The turn ended or was suspended before the message was delivered. Send the message again.",
  );
}

function notDelivered(error: unknown): Receipt {
  return { status: "failed", error: toErrorInfo(error, "delivery_failed") };
}
