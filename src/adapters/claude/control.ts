import { randomUUID } from "node:crypto";
import { HalyardError } from "../../core/error.ts";
import { PendingReplies } from "../../wire/pending-replies.ts";
import type { ControlResponse } from "./messages.ts";

/** What we ask of Claude beside the conversation. */
export type ControlCommand =
  | { readonly subtype: "initialize"; readonly appendSystemPrompt?: string }
  | { readonly subtype: "interrupt"; readonly cancel_queued: boolean }
  | { readonly subtype: "set_model"; readonly model: string }
  | { readonly subtype: "set_permission_mode"; readonly mode: string }
  /** Replaces top-level keys of the settings that the session was started with. */
  | { readonly subtype: "apply_flag_settings"; readonly settings: Record<string, unknown> }
  | { readonly subtype: "get_session_cost" };

/** The requests that Claude still owes a reply to. */
export class Control {
  readonly #write: (message: unknown) => Promise<void>;
  readonly #replies = new PendingReplies<void>();

  constructor(write: (message: unknown) => Promise<void>) {
    this.#write = write;
  }

  /** Rejects where Claude refuses, or is gone. */
  request(request: ControlCommand): Promise<void> {
    const id = randomUUID();
    const message = { type: "control_request", request_id: id, request };
    return this.#replies.expect(id, () => this.#write(message));
  }

  receive({ response }: ControlResponse): void {
    const { request_id: id, subtype, error = "Claude refused without a reason" } = response;
    if (subtype === "error") this.#replies.reject(id, new HalyardError("delivery_failed", error));
    else this.#replies.resolve(id);
  }

  /** No more will come. */
  close(error: Error): void {
    this.#replies.close(error);
  }
}
