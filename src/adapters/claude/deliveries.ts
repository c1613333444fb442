import { createDeferred, type Deferred } from "../../async/deferred.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { Init } from "./events/system-messages.ts";
import type { CommandLifecycle } from "./messages.ts";

/** Tracks the messages sent to Claude until Claude acknowledges them. */
export class Deliveries {
  readonly #mapper: { disown(uuid: string): void };
  readonly #steers = new Map<string, Deferred<Receipt | undefined>>();
  #turn: { uuid: string; receipt: Deferred<Receipt> } | undefined;
  #isBusy = false;
  /** True if Claude sends `command_lifecycle` messages, which version 2.1.197 does not. */
  #reportsLifecycle = false;

  constructor(mapper: { disown(uuid: string): void }) {
    this.#mapper = mapper;
  }

  /** Resolves when Claude has acknowledged the last message that starts a turn, or at once if there is none. */
  get settled(): Promise<unknown> {
    return Promise.resolve(this.#turn?.receipt.promise);
  }

  /** Registers a message that starts a turn. Resolves with the receipt when Claude acknowledges the message. */
  open(uuid: string): Promise<Receipt> {
    const receipt = createDeferred<Receipt>();
    this.#turn = { uuid, receipt };
    return receipt.promise;
  }

  /**
   * Registers a message for the active turn. Resolves to undefined if the turn ended first. Throws `unsupported` if this
   * version of Claude sends no lifecycle messages.
   */
  openSteer(uuid: string): Promise<Receipt | undefined> {
    if (!this.#reportsLifecycle)
      throw new HalyardError(
        "unsupported",
        "This version of Claude Code does not accept messages during a turn. Update Claude Code, or send the message after the turn ends.",
      );
    const receipt = createDeferred<Receipt | undefined>();
    this.#steers.set(uuid, receipt);
    return receipt.promise;
  }

  /** Processes a message's state change. */
  onLifecycle({ command_uuid: uuid, state }: CommandLifecycle): void {
    this.#reportsLifecycle = true;
    this.#settleSteer(uuid);
    if (uuid !== this.#turn?.uuid) return;
    // During a turn that Claude started on its own, the message stays queued but is accepted.
    if (state === "started") this.#turn.receipt.resolve({ status: "confirmed" });
    else if (state !== "queued" || this.#isBusy)
      this.#turn.receipt.resolve({ status: "submitted" });
  }

  /** Processes the start of a turn. */
  onInit({ user_message_uuids: uuids }: Init): void {
    this.#isBusy = true;
    const isOwnTurn = uuids?.includes(this.#turn?.uuid ?? "") ?? !this.#reportsLifecycle;
    if (isOwnTurn) this.#turn?.receipt.resolve({ status: "confirmed" });
  }

  onTurnEnd(): void {
    this.#isBusy = false;
    if (!this.#reportsLifecycle) this.#turn?.receipt.resolve({ status: "submitted" });
  }

  #settleSteer(uuid: string): void {
    const steer = this.#steers.get(uuid);
    if (steer === undefined) return;
    this.#steers.delete(uuid);
    if (!this.#isBusy) this.#mapper.disown(uuid);
    steer.resolve(this.#isBusy ? { status: "submitted" } : undefined);
  }
}
