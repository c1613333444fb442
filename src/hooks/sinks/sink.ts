import type { HookEvent, HookPayload } from "../../schema/hook.ts";

/** Thrown if the receiver could not be reached or could not accept a payload. A later attempt may succeed. */
export class TransientError extends Error {}

/** A receiver of hook payloads. */
export interface HookSink {
  /**
   * The id of a sink whose payloads are stored on disk until they are delivered. If undefined, pending payloads are
   * lost when the process exits.
   */
  readonly id?: string;
  /** The name of the sink in messages to the user. Contains no secret. */
  readonly name: string;
  /** The events to deliver. Defaults to `defaultHookEvents`. */
  readonly events?: readonly HookEvent[];
  /**
   * Resolves when the payload is delivered. Rejects with the reason if it cannot be delivered or the signal is aborted,
   * and with a `TransientError` if a later attempt may succeed.
   */
  deliver(payload: HookPayload, options: DeliverOptions): Promise<void>;
}

interface DeliverOptions {
  /** The id from `deliveryId`, by which a receiver recognizes a repeated payload. */
  readonly id: string;
  readonly signal: AbortSignal;
}
