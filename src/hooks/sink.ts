import type { HookEvent, HookPayload } from "../schema/hook.ts";

/** Somewhere to be told of what happens in sessions. */
export interface HookSink {
  /** For whoever has to mend it; holds no secret. */
  readonly name: string;
  /** All of them unless some are named. */
  readonly events?: readonly HookEvent[];
  /** Resolves once it was told; rejects with the reason why it could not be, or when the signal is aborted. */
  deliver(payload: HookPayload, options: { signal: AbortSignal }): Promise<void>;
}
