import { randomUUID } from "node:crypto";
import { HalyardError } from "../../errors/error.ts";
import { PendingReplies } from "../../wire/pending-replies.ts";
import type { ControlResponse } from "./messages.ts";

/** A control request to Claude, outside the conversation. */
export type ControlCommand =
  | { readonly subtype: "initialize"; readonly appendSystemPrompt?: string }
  | { readonly subtype: "interrupt"; readonly cancel_queued: boolean }
  | { readonly subtype: "set_model"; readonly model: string }
  | { readonly subtype: "set_permission_mode"; readonly mode: string }
  /** Replaces top-level keys of the settings that the session was started with. */
  | { readonly subtype: "apply_flag_settings"; readonly settings: Record<string, unknown> }
  | { readonly subtype: "get_session_cost" };

/** Sends control requests to Claude and matches Claude's responses to the requests. */
export class Control {
  readonly #write: (message: unknown) => Promise<void>;
  readonly #replies = new PendingReplies<unknown>();

  constructor(write: (message: unknown) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves with the response. Rejects if Claude responds with an error or exits. */
  request(request: ControlCommand): Promise<unknown> {
    const id = randomUUID();
    const message = { type: "control_request", request_id: id, request };
    return this.#replies.expect(id, () => this.#write(message));
  }

  receive({ response }: ControlResponse): void {
    const {
      request_id: id,
      subtype,
      error = "Claude Code rejected a control request without giving a reason. Stop and resume the session.",
    } = response;
    if (subtype === "error") this.#replies.reject(id, new HalyardError("delivery_failed", error));
    else this.#replies.resolve(id, response.response);
  }

  /** Rejects all pending requests. */
  close(error: Error): void {
    this.#replies.close(error);
  }
}
