import type { HookEvent, HookPayload } from "../schema/hook.ts";

/** A receiver of hook payloads. */
export interface HookSink {
  /** Name for messages to the user. Contains no secret. */
  readonly name: string;
  /** Events to deliver. Defaults to all events. */
  readonly events?: readonly HookEvent[];
  /**
   * Resolves when the payload is delivered. Rejects with the reason if it cannot be delivered or the signal is aborted.
   */
  deliver(payload: HookPayload, options: { signal: AbortSignal }): Promise<void>;
}
