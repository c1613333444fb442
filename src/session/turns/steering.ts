import type { Connection } from "../../contracts/adapter.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { AttachmentFiles } from "../attachments/attachment-files.ts";
import { turnInput } from "../attachments/turn-input.ts";
import type { RestoredMessage, SteeredMessage } from "../recovery/restore.ts";
import type { SessionParts } from "../session-parts.ts";
import type { KnownMessages } from "./known-messages.ts";
import type { MessageRecord } from "./message-record.ts";
import type { OpenTurn } from "./open-turn.ts";

/** Sends messages to the turn that runs now. The runtime receives each message once. */
export class Steering {
  readonly #connection: Connection;
  readonly #files: AttachmentFiles;
  readonly #record: MessageRecord;
  readonly #known: KnownMessages;

  constructor(
    { connection, attachments }: Pick<SessionParts, "connection" | "attachments">,
    record: MessageRecord,
    known: KnownMessages,
  ) {
    this.#connection = connection;
    this.#files = attachments;
    this.#record = record;
    this.#known = known;
  }

  steer(turn: OpenTurn, message: SteeredMessage): Promise<Receipt> {
    const accepted = turn.accepted.promise.then(() => this.#steer(turn, message));
    this.#known.add(message.id, { turn, accepted });
    return accepted;
  }

  /** Adds messages that an earlier process recorded, and therefore sent to the runtime. */
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
      if (turn.stage === "closed") throw tooLate();
      const input = await turnInput(message, { turnId: turn.id, files: this.#files });
      return await this.#connection.steer(input);
    } catch (error) {
      return notDelivered(error);
    }
  }
}

function tooLate(): HalyardError {
  return new HalyardError("delivery_failed", "the turn ended before the message was delivered");
}

function notDelivered(error: unknown): Receipt {
  return { status: "failed", error: toErrorInfo(error, "delivery_failed") };
}
