import { createDeferred, type Deferred } from "../../core/deferred.ts";
import { HalyardError } from "../../core/error.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { CommandLifecycle } from "./messages.ts";
import type { Init } from "./system-messages.ts";

/** Follows the messages on their way to Claude, by what it says of them. */
export class Deliveries {
  readonly #mapper: { disown(uuid: string): void };
  readonly #steers = new Map<string, Deferred<Receipt | undefined>>();
  #turn: { uuid: string; receipt: Deferred<Receipt> } | undefined;
  #isBusy = false;
  /** Whether Claude says what becomes of each message: 2.1.197 does not. */
  #tellsFates = false;

  constructor(mapper: { disown(uuid: string): void }) {
    this.#mapper = mapper;
  }

  /** Kept once nothing is on its way. */
  get settled(): Promise<unknown> {
    return Promise.resolve(this.#turn?.receipt.promise);
  }

  /** A message that is to begin a turn. */
  open(uuid: string): Promise<Receipt> {
    const receipt = createDeferred<Receipt>();
    this.#turn = { uuid, receipt };
    return receipt.promise;
  }

  /** A message for the turn under way; undefined where that one had ended by then. */
  openSteer(uuid: string): Promise<Receipt | undefined> {
    if (!this.#tellsFates)
      throw new HalyardError(
        "unsupported",
        "this release of Claude Code takes no message in mid-turn",
      );
    const receipt = createDeferred<Receipt | undefined>();
    this.#steers.set(uuid, receipt);
    return receipt.promise;
  }

  hear({ command_uuid: uuid, state }: CommandLifecycle): void {
    this.#tellsFates = true;
    this.#hearSteer(uuid);
    if (uuid !== this.#turn?.uuid) return;
    // In a turn that Claude began by itself the message waits, and is taken nonetheless.
    if (state === "started") this.#turn.receipt.resolve({ status: "confirmed" });
    else if (state !== "queued" || this.#isBusy)
      this.#turn.receipt.resolve({ status: "submitted" });
  }

  hearInit({ user_message_uuids: uuids }: Init): void {
    this.#isBusy = true;
    const isOurs = uuids?.includes(this.#turn?.uuid ?? "") ?? !this.#tellsFates;
    if (isOurs) this.#turn?.receipt.resolve({ status: "confirmed" });
  }

  hearEnd(): void {
    this.#isBusy = false;
    if (!this.#tellsFates) this.#turn?.receipt.resolve({ status: "submitted" });
  }

  #hearSteer(uuid: string): void {
    const steer = this.#steers.get(uuid);
    if (steer === undefined) return;
    this.#steers.delete(uuid);
    if (!this.#isBusy) this.#mapper.disown(uuid);
    steer.resolve(this.#isBusy ? { status: "submitted" } : undefined);
  }
}
