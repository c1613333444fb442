import { createDeferred } from "../../async/deferred.ts";
import { timedOut } from "../../async/watchdog.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { CompletionDraft } from "../../contracts/event-draft.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { toErrorInfo } from "../../errors/error.ts";
import { receiptOf } from "../../halyard/turn-results.ts";
import type { Redactor } from "../../log/redaction/redaction.ts";
import type { Attachment } from "../../schema/attachment.ts";
import type { Receipt } from "../../schema/delivery.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { noUsage } from "../../schema/usage/usage.ts";
import { TurnLedger } from "./turn-ledger.ts";

/** Why a turn ends before the runtime completes it. */
export type Cause =
  | { readonly status: "cancelled"; readonly reason: string }
  | { readonly status: "failed"; readonly error: ErrorInfo };

export interface OpenTurnOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** True if the limit was sent with the message instead of being the limit of the session. */
  readonly hasOwnLimit?: boolean;
  /** All events of the turn have a `seq` above this one. */
  readonly after: number;
  /** Included in every outcome of the session. */
  readonly fallback?: SessionInfo["fallback"];
  /** When the message was sent, possibly to an earlier process. */
  readonly sentAt?: string;
  /** The attachments of the message. Defaults to none. */
  readonly attachments?: readonly Attachment[];
}

/** A turn of a live session. */
export class OpenTurn {
  readonly id: TurnId;
  readonly text: string;
  readonly ledger: TurnLedger;
  readonly accepted = createDeferred<Receipt>();
  readonly outcome = createDeferred<Outcome>();
  /** The time limit of the complete turn. */
  readonly timeoutMs: number;
  readonly attachments: readonly Attachment[];
  /** The time limit that was sent with the message. */
  readonly own: { readonly timeoutMs: number } | undefined;
  /** All events of the turn have a `seq` above this one. */
  readonly after: number;
  /** `sending` until the runtime has accepted the message. */
  stage: "queued" | "sending" | "running" | "closed" = "queued";
  /** True if the message is in the log. It is then started eventually, if necessary by another process. */
  isOnRecord = false;
  /** When the turn started, possibly in an earlier process. */
  startedAt: string | undefined;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #redactor: Redactor;
  readonly #fallback: SessionInfo["fallback"];
  readonly #unlogged = new AbortController();
  #cause: Cause | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(id: TurnId, text: string, options: OpenTurnOptions) {
    this.id = id;
    this.text = text;
    this.ledger = new TurnLedger(options.redactor);
    this.timeoutMs = options.timeoutMs;
    this.own = options.hasOwnLimit ? { timeoutMs: options.timeoutMs } : undefined;
    this.after = options.after;
    this.attachments = options.attachments ?? [];
    this.#fallback = options.fallback;
    this.#clock = options.clock;
    this.#redactor = options.redactor;
    this.#startMs = options.clock.elapsedMs() - this.#passedMs(options.sentAt);
  }

  /** Aborted if the turn ended without a completion in the log. */
  get unlogged(): AbortSignal {
    return this.#unlogged.signal;
  }

  /** True if the runtime has produced output, or the turn has ended. */
  get hasBegun(): boolean {
    return this.ledger.hasBegun || this.stage === "closed";
  }

  get cause(): Cause | undefined {
    return this.#cause;
  }

  /** Sets the cause of the end. The first cause wins. Returns true if this one was the first. */
  blame(cause: Cause): boolean {
    if (this.#cause !== undefined || this.stage === "closed") return false;
    this.#cause = cause;
    return true;
  }

  /** Starts the time limit of the turn. */
  startDeadline(onLate: (error: ErrorInfo) => void): void {
    if (this.timeoutMs === 0) return;
    const late = timedOut("turn", this.timeoutMs, "the turn");
    const leftMs = Math.max(0, this.timeoutMs - this.#passedMs(this.startedAt));
    this.#deadline = setTimeout(() => onLate(toErrorInfo(late)), leftMs);
  }

  /** Returns the milliseconds since a recorded time. The system clock may have been set back. */
  #passedMs(at: string | undefined): number {
    return at === undefined ? 0 : Math.max(0, this.#clock.now().getTime() - Date.parse(at));
  }

  /** Writes the last events of the turn, then resolves its outcome. */
  async close(
    end: CompletionDraft,
    before: readonly StoredEvent[],
    append: (events: StoredEvent[]) => Promise<void>,
  ): Promise<void> {
    clearTimeout(this.#deadline);
    const owed = this.ledger.close();
    const outcome = this.#redactor.redact(this.#conclude(end));
    const { error } = outcome;
    const events: StoredEvent[] = [...before, ...owed];
    if (error && !this.ledger.hasReported(error)) events.push({ type: "error", ...error });
    events.push({ type: "completion", outcome });
    try {
      await append(events);
    } catch (cause) {
      this.settle(cause);
      throw cause;
    }
    this.#settle(outcome);
  }

  /** Ends a turn whose completion cannot be written. */
  settle(cause: unknown): void {
    const error = toErrorInfo(cause, "store_failed");
    this.#settle({
      ...this.#conclude({ type: "completion", status: "failed" }),
      status: "failed",
      error,
    });
    this.#unlogged.abort();
  }

  #settle(outcome: Outcome): void {
    this.accepted.resolve(receiptOf(outcome));
    this.outcome.resolve(outcome);
  }

  /** Returns the outcome: the cause if there is one, otherwise the status that the runtime reported. */
  #conclude(end: CompletionDraft): Outcome {
    const fallback = this.#fallback && { fallback: this.#fallback };
    const base = {
      ...(fallback && { metadata: fallback }),
      text: end.text ?? this.ledger.text,
      usage: end.usage ?? noUsage,
      durationMs: Math.round(this.#clock.elapsedMs() - this.#startMs),
    };
    const cause = this.#cause;
    if (cause?.status === "cancelled") {
      return {
        ...base,
        status: "cancelled",
        stopReason: "cancelled",
        metadata: { ...fallback, reason: cause.reason },
      };
    }
    if (cause?.status === "failed") {
      return { ...base, status: "failed", stopReason: "error", error: cause.error };
    }
    const { status, error, stopReason = defaultStopReason[status] } = end;
    return { ...base, status, stopReason, ...(error && { error }) };
  }
}

const defaultStopReason = {
  completed: "end_turn",
  cancelled: "cancelled",
  failed: "error",
} as const;

/** The completion of a turn that ends by a cause. The cause determines the outcome. */
export const interrupted: CompletionDraft = { type: "completion", status: "failed" };
