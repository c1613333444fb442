import { randomUUID } from "node:crypto";
import { HalyardError } from "../../core/error.ts";
import type { ControlResponse } from "./messages.ts";

/** What we ask of Claude beside the conversation. */
export type ControlCommand =
  | { readonly subtype: "initialize"; readonly appendSystemPrompt?: string }
  | { readonly subtype: "interrupt"; readonly cancel_queued: boolean }
  | { readonly subtype: "set_model"; readonly model: string }
  | { readonly subtype: "set_permission_mode"; readonly mode: string }
  | { readonly subtype: "get_session_cost" };

/** The requests that Claude still owes a reply to. */
export class Control {
  readonly #write: (message: unknown) => Promise<void>;
  readonly #waiting = new Map<string, Waiting>();
  #closedBy: Error | undefined;

  constructor(write: (message: unknown) => Promise<void>) {
    this.#write = write;
  }

  /** Rejects where Claude refuses, or is gone. */
  request(request: ControlCommand): Promise<void> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      if (this.#closedBy) return reject(this.#closedBy);
      this.#waiting.set(id, { resolve, reject });
      const message = { type: "control_request", request_id: id, request };
      this.#write(message).catch((error: Error) => this.#take(id)?.reject(error));
    });
  }

  /** What nobody waits for, such as a reply read again after an attach, is ignored. */
  receive({ response }: ControlResponse): void {
    const waiting = this.#take(response.request_id);
    const { subtype, error = "Claude refused without a reason" } = response;
    if (subtype === "error") waiting?.reject(new HalyardError("delivery_failed", error));
    else waiting?.resolve();
  }

  /** No more will come. */
  close(error: Error): void {
    this.#closedBy ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#closedBy);
    this.#waiting.clear();
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}
