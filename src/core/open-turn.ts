import type { Receipt } from "../schema/delivery.ts";
import type { ErrorInfo } from "../schema/error.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Clock } from "./clock.ts";
import { createDeferred } from "./deferred.ts";
import type { CompletionDraft } from "./draft.ts";
import { toErrorInfo } from "./error.ts";
import type { Redactor } from "./redaction.ts";
import type { StoredEvent } from "./store.ts";
import { TurnLedger } from "./turn-ledger.ts";
import { receiptOf } from "./turn-results.ts";
import { noUsage } from "./usage.ts";
import { timedOut } from "./watchdog.ts";

/** Why a turn has to end, other than by itself. */
export type Cause =
  | { readonly status: "cancelled"; readonly reason: string }
  | { readonly status: "failed"; readonly error: ErrorInfo };

export interface OpenTurnOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** It was given with the message, and is not the session's. */
  readonly hasOwnLimit?: boolean;
  /** Everything the turn will ever say comes after this place in the log. */
  readonly after: number;
  /** What every outcome of the session has to tell. */
  readonly fallback?: SessionInfo["fallback"];
  /** When it was sent, to whoever ran the session then. */
  readonly sentAt?: string;
}

/** A turn that has not ended yet. */
export class OpenTurn {
  readonly id: TurnId;
  readonly text: string;
  readonly ledger: TurnLedger;
  readonly accepted = createDeferred<Receipt>();
  readonly outcome = createDeferred<Outcome>();
  /** Its limit as a whole. */
  readonly timeoutMs: number;
  /** What goes on record with its message. */
  readonly own: { readonly timeoutMs: number } | undefined;
  /** Everything the turn will ever say comes after this place in the log. */
  readonly after: number;
  /** `sending` until the runtime has taken the message. */
  stage: "queued" | "sending" | "running" | "closed" = "queued";
  /** What is on record is begun sooner or later, by whomever. */
  isOnRecord = false;
  /** When it was begun, by whoever ran the session then. */
  startedAt: string | undefined;
  readonly #clock: Clock;
  readonly #begunMs: number;
  readonly #redactor: Redactor;
  readonly #fallback: SessionInfo["fallback"];
  readonly #untold = new AbortController();
  #cause: Cause | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(id: TurnId, text: string, options: OpenTurnOptions) {
    this.id = id;
    this.text = text;
    this.ledger = new TurnLedger(options.redactor);
    this.timeoutMs = options.timeoutMs;
    this.own = options.hasOwnLimit ? { timeoutMs: options.timeoutMs } : undefined;
    this.after = options.after;
    this.#fallback = options.fallback;
    this.#clock = options.clock;
    this.#redactor = options.redactor;
    this.#begunMs = options.clock.elapsedMs() - this.#passedMs(options.sentAt);
  }

  /** Given when the turn has ended without a completion in the log. */
  get untold(): AbortSignal {
    return this.#untold.signal;
  }

  get cause(): Cause | undefined {
    return this.#cause;
  }

  /** The first cause wins; says whether this was it. */
  blame(cause: Cause): boolean {
    if (this.#cause !== undefined || this.stage === "closed") return false;
    this.#cause = cause;
    return true;
  }

  /** From now on the turn may take as long as its limit allows. */
  startDeadline(onLate: (error: ErrorInfo) => void): void {
    if (this.timeoutMs === 0) return;
    const late = timedOut("turn", this.timeoutMs, "the turn");
    const leftMs = Math.max(0, this.timeoutMs - this.#passedMs(this.startedAt));
    this.#deadline = setTimeout(() => onLate(toErrorInfo(late)), leftMs);
  }

  /** Since a time that is on record; the clock may have gone back. */
  #passedMs(at: string | undefined): number {
    return at === undefined ? 0 : Math.max(0, this.#clock.now().getTime() - Date.parse(at));
  }

  /** Writes the turn's last events down, then tells whoever waits for it. */
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
    if (error && !this.ledger.hasTold(error)) events.push({ type: "error", ...error });
    events.push({ type: "completion", outcome });
    try {
      await append(events);
    } catch (cause) {
      this.settle(cause);
      throw cause;
    }
    this.#settle(outcome);
  }

  /** Ends a turn whose completion cannot be written down. */
  settle(cause: unknown): void {
    const error = toErrorInfo(cause, "store_failed");
    this.#settle({
      ...this.#conclude({ type: "completion", status: "failed" }),
      status: "failed",
      error,
    });
    this.#untold.abort();
  }

  #settle(outcome: Outcome): void {
    this.accepted.resolve(receiptOf(outcome));
    this.outcome.resolve(outcome);
  }

  /** How the turn ended: by its cause if there is one, otherwise as the runtime says. */
  #conclude(end: CompletionDraft): Outcome {
    const fallback = this.#fallback && { fallback: this.#fallback };
    const base = {
      ...(fallback && { metadata: fallback }),
      text: end.text ?? this.ledger.text,
      usage: end.usage ?? noUsage,
      durationMs: Math.round(this.#clock.elapsedMs() - this.#begunMs),
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
