import type { Clock } from "../../contracts/clock.ts";
import type { CompletionDraft } from "../../contracts/event-draft.ts";
import type { WakeTimes } from "../../contracts/halyard-parts.ts";
import { errorInfo } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import type { SystemEvent } from "../../schema/event.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import type { OnLimit, UsageLimit, Waiting } from "../../schema/usage-limit.ts";
import { backoffMs } from "../../wire/backoff.ts";
import type { OpenTurn } from "../turns/open-turn.ts";
import { resetTimeIn } from "./reset-time.ts";

/** Options of `atLimit`. */
export interface AtLimitOptions {
  readonly onLimit: OnLimit;
  readonly clock: Clock;
  readonly slots: WakeTimes;
}

/** How the session continues after a native turn that ended at a usage limit. */
export type AtLimit = {
  /** The event for the log. */
  readonly event: SystemEvent;
} & (
  | { readonly action: "fail"; readonly end: CompletionDraft }
  | { readonly action: "wait"; readonly waiting: Waiting; readonly text: string }
  | { readonly action: "handoff"; readonly end: CompletionDraft; readonly to: RuntimeName }
);

/**
 * Decides how to continue if a usage limit ended a native turn. Returns undefined if the turn ended for another reason.
 */
export function atLimit(
  turn: OpenTurn,
  end: CompletionDraft,
  { onLimit, clock, slots }: AtLimitOptions,
): AtLimit | undefined {
  const isLimited = turn.pause?.reason === "limit" || end.error?.code === "rate_limited";
  if (turn.cause || !isLimited || end.status === "completed") return undefined;
  const now = clock.now();
  const limit = turn.pause?.reason === "limit" ? turn.pause.limit : turn.limit;
  const said = end.error?.message ?? "The usage limit of the model's vendor is reached.";
  const resetsAt = laterThan(now, limit?.resetsAt) ?? resetTimeIn(said, now)?.toISOString();
  const action = typeof onLimit === "string" ? onLimit : "handoff";
  const { retryAt: _, ...known } = limit ?? {};
  const data: UsageLimit = {
    ...known,
    status: "reached",
    ...(resetsAt !== undefined && { resetsAt }),
    action,
  };
  const event: SystemEvent = { type: "system", subtype: "limit", text: said, data };
  if (onLimit === "wait") {
    const { attempt, wakeMs } = wakeTime(turn, resetsAt, { clock, slots });
    const until = new Date(wakeMs).toISOString();
    const waiting: Waiting = {
      reason: "limit",
      until,
      ...(resetsAt !== undefined && { resetsAt }),
      ...(limit?.window !== undefined && { window: limit.window }),
      ...(attempt !== undefined && { attempt }),
      resend: !turn.ledger.hasWorked,
    };
    return {
      action: "wait",
      event,
      waiting,
      text: `${sentence(said)} The turn continues at ${until}.`,
    };
  }
  if (onLimit === "fail") {
    const advice =
      'Send the message again after the limit resets. To wait automatically, start a session with "--on-limit wait" (in a request: "onLimit": "wait").';
    return { action: "fail", event, end: failure(end, said, { limit, resetsAt, advice }) };
  }
  const to = onLimit.handoff;
  const advice = `A session on ${to} continues the work.`;
  return { action: "handoff", event, end: failure(end, said, { limit, resetsAt, advice }), to };
}

/**
 * Returns the time at which the turn continues: after the reset or, if the reset time is not known, after a growing
 * delay.
 */
function wakeTime(
  turn: OpenTurn,
  resetsAt: string | undefined,
  { clock, slots }: Pick<AtLimitOptions, "clock" | "slots">,
): { attempt?: number; wakeMs: number } {
  if (resetsAt !== undefined) {
    turn.blindWaits = 0;
    return { wakeMs: slots.takeAfter(Date.parse(resetsAt)) };
  }
  const attempt = ++turn.blindWaits;
  const delayMs = backoffMs(attempt - 1, { baseMs: FIRST_WAIT_MS, maxMs: LONGEST_WAIT_MS });
  return { attempt, wakeMs: slots.take(clock.now().getTime() + delayMs) };
}

/** Delays for a limit without a reset time: up to one minute at first, up to half an hour later. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 1_800_000;

interface FailureOptions {
  readonly limit: UsageLimit | undefined;
  readonly resetsAt: string | undefined;
  readonly advice: string;
}

function failure(
  end: CompletionDraft,
  said: string,
  { limit, resetsAt, advice }: FailureOptions,
): CompletionDraft {
  const window = limit?.window === undefined ? "" : ` (${limit.window})`;
  const when = resetsAt === undefined ? "" : ` The limit${window} resets at ${resetsAt}.`;
  const message = `${sentence(said)}${when} ${advice}`;
  const error = {
    ...errorInfo("rate_limited", message),
    ...(resetsAt !== undefined && { resetsAt }),
  };
  const { usage } = end;
  return { type: "completion", status: "failed", error, ...(usage && { usage }) };
}

/**
 * Returns the time if it is in the future, otherwise undefined. A limit that has already reset does not explain a later
 * error.
 */
function laterThan(now: Date, at: string | undefined): string | undefined {
  return at !== undefined && Date.parse(at) > now.getTime() ? at : undefined;
}
