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
import type { EventBody } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Outcome, Usage } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { UsageLimit, Waiting } from "../../schema/usage-limit.ts";
import type { AnswerCheck } from "../answers/answer-check.ts";
import type { Pause } from "../pauses/pause.ts";
import { TurnMeter } from "../pauses/turn-meter.ts";
import { TurnLedger } from "./turn-ledger.ts";

/** Why a turn ends before the runtime completes it. */
export type Cause =
  | { readonly status: "cancelled"; readonly reason: string }
  | { readonly status: "failed"; readonly error: ErrorInfo };

/** Options of an `OpenTurn`. */
export interface OpenTurnOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  /** True if `timeoutMs` was set for this message. Otherwise it is the limit of the session. */
  readonly hasOwnLimit?: boolean;
  /** All events of the turn have a higher `seq`. */
  readonly after: number;
  /** The runtime fallback, which every outcome of the session contains. */
  readonly fallback?: SessionInfo["fallback"];
  /** When the message was sent, possibly to an earlier process. */
  readonly sentAt?: string;
  /** The attachments of the message. Defaults to none. */
  readonly attachments?: readonly Attachment[];
  /** Adds an estimate of the cost to a usage. Defaults to no estimate. */
  readonly estimate?: (usage: Usage) => Usage;
  /** Checks the answer, if the message has a schema. */
  readonly check?: AnswerCheck | undefined;
  /** True if the turn compacts the conversation instead of sending a message. */
  readonly isCompaction?: boolean | undefined;
  /** The trace context of the caller. */
  readonly traceparent?: string | undefined;
}

/** A request for another answer, and the events that complete the log of the rejected answer. */
export interface Correction {
  readonly text: string;
  readonly problems: readonly string[];
  readonly owed: readonly StoredEvent[];
}

/** A turn of a live session. */
export class OpenTurn {
  readonly id: TurnId;
  readonly text: string;
  readonly ledger: TurnLedger;
  readonly accepted = createDeferred<Receipt>();
  /** Resolves when the runtime has received the message, or when this process can no longer send it. */
  readonly sent = createDeferred<void>();
  readonly outcome = createDeferred<Outcome>();
  /** The time limit of the whole turn in milliseconds. 0 means no limit. */
  readonly timeoutMs: number;
  readonly attachments: readonly Attachment[];
  readonly check: AnswerCheck | undefined;
  readonly isCompaction: boolean;
  /** The options of this message, for the log. */
  readonly own: Readonly<Record<string, unknown>> | undefined;
  /** All events of the turn have a higher `seq`. */
  readonly after: number;
  /** `sending` until the runtime has accepted the message. `suspended` while the turn waits to be continued. */
  stage: "queued" | "sending" | "running" | "suspended" | "closed" = "queued";
  /** The usage limit or the budget because of which the session interrupts the turn. */
  pause: Pause | undefined;
  /** The usage limit that the runtime reported last in this turn. */
  limit: UsageLimit | undefined;
  /** Why the turn waits, and until when. Set while it is suspended. */
  waiting: Waiting | undefined;
  /** The number of consecutive waits for a limit without a reset time. */
  blindWaits = 0;
  /** The usage so far. */
  readonly meter: TurnMeter;
  /** True if the message is in the log. The turn will then be started, if necessary by another process. */
  isOnRecord = false;
  /** When an earlier process started or last continued the turn. Undefined if this process started the turn. */
  startedAt: string | undefined;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #redactor: Redactor;
  readonly #fallback: SessionInfo["fallback"];
  readonly #unlogged = new AbortController();
  /** When the turn was suspended. Undefined while it runs. */
  #suspendedAt: string | undefined;
  #suspendedMs = 0;
  #cause: Cause | undefined;
  #answer: { readonly data: unknown } | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(id: TurnId, text: string, options: OpenTurnOptions) {
    this.id = id;
    this.text = text;
    this.ledger = new TurnLedger(options.redactor);
    this.meter = new TurnMeter(options.estimate);
    this.timeoutMs = options.timeoutMs;
    this.check = options.check;
    this.isCompaction = options.isCompaction ?? false;
    this.own = ownFields(options);
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

  /** Sets the cause of the end. The first cause wins. Returns false if the turn already has a cause or has ended. */
  blame(cause: Cause): boolean {
    if (this.#cause !== undefined || this.stage === "closed") return false;
    this.#cause = cause;
    return true;
  }

  /** Records that the runtime has received the message. */
  markSent(receipt: Receipt): void {
    this.accepted.resolve(receipt);
    this.sent.resolve();
  }

  /** Starts the time limit of the turn, if it has one. Calls `onLate` when the limit is exceeded. */
  startDeadline(onLate: (error: ErrorInfo) => void): void {
    if (this.timeoutMs === 0) return;
    const setting =
      this.own?.timeoutMs === undefined ? "limits.turnMs" : "the message's timeoutMs (--timeout)";
    const late = timedOut("turn", this.timeoutMs, "the turn", { setting });
    const ranMs = Math.max(0, this.#passedMs(this.startedAt) - this.#suspendedMs);
    const leftMs = Math.max(0, this.timeoutMs - ranMs);
    this.#deadline = setTimeout(() => onLate(toErrorInfo(late)), leftMs);
  }

  /** Returns the milliseconds since `at`. Returns 0 if `at` is undefined or, after the clock was set back, in the future. */
  #passedMs(at: string | undefined): number {
    return at === undefined ? 0 : Math.max(0, this.#clock.now().getTime() - Date.parse(at));
  }

  /** Adds the usage of rejected answers to a usage report of the running native turn. */
  usageOf(usage: Usage | undefined): Usage | undefined {
    return usage && (this.check?.total(usage) ?? usage);
  }

  /** The milliseconds since the message was sent, excluding the time during which the turn was suspended. */
  get durationMs(): number {
    const waitedMs = this.#suspendedMs + this.#passedMs(this.#suspendedAt);
    return Math.max(0, this.#clock.elapsedMs() - this.#startMs - waitedMs);
  }

  /** Records when the turn was suspended, or when it continued if `isSuspended` is false. */
  markSuspended(isSuspended: boolean, at = this.#clock.now().toISOString()): void {
    if (this.#suspendedAt !== undefined)
      this.#suspendedMs += Math.max(0, Date.parse(at) - Date.parse(this.#suspendedAt));
    this.#suspendedAt = isSuspended ? at : undefined;
  }

  /** Ends a native turn that another native turn will continue. Returns the events that are missing from the log. */
  suspend(waiting: Waiting, text: string, end: CompletionDraft): EventBody[] {
    clearTimeout(this.#deadline);
    this.markSuspended(true);
    this.stage = "suspended";
    this.sent.resolve(); // steered messages wait for this, even if the turn was suspended before it sent a message
    this.waiting = waiting;
    this.pause = undefined;
    this.limit = undefined;
    const owed = this.ledger.close();
    const usage = this.meter.endPart(this.usageOf(end.usage));
    const data = { ...waiting, usage };
    return [...owed, { type: "system", subtype: "turn_waiting", text, data }];
  }

  /**
   * Checks the answer if the runtime completed the turn and its message has a schema. Returns a correction if the
   * answer has to be requested again.
   */
  review(end: CompletionDraft): Correction | undefined {
    if (!this.check || end.status !== "completed" || this.#cause) return undefined;
    const owed = this.ledger.close();
    const verdict = this.check.judge(end, end.text ?? this.ledger.text);
    if (verdict.kind === "matches") this.#answer = { data: verdict.data };
    if (verdict.kind === "fails") this.blame({ status: "failed", error: verdict.error });
    if (verdict.kind !== "correct") return undefined;
    return { owed, text: verdict.text, problems: verdict.problems };
  }

  /** Writes the last events of the turn, then resolves its outcome. If the write fails, the outcome fails and this rejects. */
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
    this.markSent(receiptOf(outcome));
    this.outcome.resolve(outcome);
  }

  /** Returns the outcome. If Halyard ended the turn, its reason overrides the status that the runtime reported. */
  #conclude(end: CompletionDraft): Outcome {
    const fallback = this.#fallback && { fallback: this.#fallback };
    const base = {
      ...(fallback && { metadata: fallback }),
      text: end.text ?? this.ledger.text,
      usage: this.meter.total(this.usageOf(end.usage)),
      durationMs: Math.round(this.durationMs),
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
    const { status, error, stopReason = defaultStopReason[status], handoff } = end;
    const metadata = handoff && { metadata: { ...fallback, handoff } };
    return { ...base, status, stopReason, ...(error && { error }), ...metadata, ...this.#answer };
  }
}

function ownFields(options: OpenTurnOptions) {
  const { hasOwnLimit, timeoutMs, check, isCompaction, traceparent } = options;
  const fields = {
    ...(hasOwnLimit && { timeoutMs }),
    ...(check && { schema: check.schema }),
    ...(isCompaction && { compact: true }),
    ...(traceparent !== undefined && { traceparent }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

const defaultStopReason = {
  completed: "end_turn",
  cancelled: "cancelled",
  failed: "error",
} as const;

/** The completion of a turn that Halyard ends. The recorded cause determines the outcome. */
export const interrupted: CompletionDraft = { type: "completion", status: "failed" };
