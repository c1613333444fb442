import type {
  RequestEvent,
  ResponseEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";

interface Placed {
  /** Identifies the item while it changes. */
  readonly key: string;
  /** The `seq` of the item's first event. */
  readonly seq: number;
  readonly at: string;
}

/** One entry in the transcript. A changed item is a new object with the same key. */
export type Item =
  | (Placed & { readonly kind: "user"; readonly text: string; readonly isSteered: boolean })
  | (Placed & { readonly kind: "text"; readonly text: string; readonly isDone: boolean })
  | (Placed & {
      readonly kind: "reasoning";
      readonly text: string;
      readonly isDone: boolean;
      readonly endAt: string;
    })
  | (Placed & {
      readonly kind: "tool";
      readonly call: ToolCallEvent;
      readonly result?: ToolResultEvent;
      readonly endAt?: string;
      /** True if the call waits for an answer. */
      readonly isHeld?: boolean;
    })
  | (Placed & {
      readonly kind: "request";
      readonly request: RequestEvent;
      readonly response?: ResponseEvent;
    })
  | (Placed & {
      readonly kind: "end";
      readonly outcome: Outcome;
      readonly turnId: string;
      /** The error that ended the turn, unless the previous item shows it. */
      readonly problem?: string;
    })
  | (Placed & { readonly kind: "error"; readonly text: string })
  | (Placed & { readonly kind: "note"; readonly text: string; readonly isWarning: boolean });
