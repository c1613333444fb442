import type { CompletionDraft } from "../../contracts/event-draft.ts";
import { warning } from "../../contracts/event-draft.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { errorInfo, reasonOf } from "../../errors/error.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { sentence } from "../../errors/sentence.ts";
import type { Requests } from "../../permissions/requests.ts";
import type { ExceededBudget } from "../../schema/budget.ts";
import type { ResponseEvent, SystemEvent } from "../../schema/event.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import type { HandoffTarget } from "../../schema/session.ts";
import type { Waiting } from "../../schema/usage-limit.ts";
import type { SessionParts } from "../session-parts.ts";
import type { Cause, OpenTurn } from "../turns/open-turn.ts";
import type { TurnWatch } from "../turns/turn-watch.ts";
import { atLimit } from "./at-limit.ts";
import { budgetOptions, describeExceeded } from "./budget.ts";
import { BudgetWatch } from "./budget-watch.ts";
import { continuationOf, type Pause, pauseFor } from "./pause.ts";
import { WakeTimer } from "./wake-timer.ts";

/** The operations on the turns of a session that a pause needs. */
export interface PausedTurns {
  readonly requests: Requests;
  readonly watch: TurnWatch;
  interrupt(turn: OpenTurn): Promise<void>;
  close(turn: OpenTurn, end: CompletionDraft, before?: readonly StoredEvent[]): Promise<void>;
  append(events: readonly StoredEvent[], turn: OpenTurn): Promise<void>;
  /** Records that the turn continues, and sends `text`, or the turn's message if `text` is undefined. */
  proceed(turn: OpenTurn, text: string | undefined): Promise<void>;
  /** All turns that have not ended, the current one first. */
  readonly open: readonly OpenTurn[];
  end(turn: OpenTurn, cause: Cause): Promise<void>;
}

/** Suspends the current turn of a session at a usage limit or a budget, and continues it later. */
export class TurnPauses {
  readonly #parts: SessionParts;
  readonly #turns: PausedTurns;
  readonly #fail: (error: unknown) => void;
  readonly #timer: WakeTimer;
  readonly #budgetWatch: BudgetWatch;
  /** A sentence that describes the last budget that was used up. */
  #exceeded: string | undefined;

  constructor(parts: SessionParts, turns: PausedTurns, fail: (error: unknown) => void) {
    this.#parts = parts;
    this.#turns = turns;
    this.#fail = fail;
    this.#timer = new WakeTimer(parts.clock);
    this.#budgetWatch = new BudgetWatch(parts);
  }

  /** Returns the budget that is already used up before the message of a turn is sent, or undefined. */
  exceeded(turn: OpenTurn): Promise<ExceededBudget | undefined> {
    return this.#budgetWatch.check(turn);
  }

  /** Suspends a turn before its message is sent, because a budget is used up. Has no effect if the turn has ended. */
  async holdBack(turn: OpenTurn, exceeded: ExceededBudget): Promise<void> {
    if (turn.stage === "closed") return;
    await this.#suspendForBudget(turn, exceeded, { type: "completion", status: "cancelled" }, []);
  }

  /** Watches the budgets of a turn whose message was sent. */
  onSent(turn: OpenTurn): void {
    // watches again if the timer fired early or the budget has been extended in the meantime
    const onTime = () => this.#checkBudget(turn, () => this.onSent(turn));
    void this.#budgetWatch.start(turn, onTime).catch(this.#fail);
  }

  /**
   * Restarts the time limit for the runtime's next output. Interrupts a running turn if its runtime would wait too long for
   * a usage limit, or if a budget is used up. `onEnd` suspends or closes the turn when its native turn ends.
   */
  onProgress(turn: OpenTurn): void {
    if (turn.stage === "suspended") return;
    this.#turns.watch.expectMore(turn);
    const pause = pauseFor(turn, this.#parts);
    if (pause) void this.#pause(turn, pause).catch(this.#fail);
    else if (turn.meter.takeNews()) this.#checkBudget(turn);
  }

  /** Continues or ends the turn after the answer to a budget request. */
  async onAnswer(turn: OpenTurn | undefined, { decision, text }: ResponseEvent): Promise<void> {
    if (turn?.stage !== "suspended") return;
    if (decision === "allow") return this.#continue(turn);
    const why = text === undefined ? "" : ` ${text}`;
    const message = `${this.#exceeded ?? "A budget is used up."} It was not extended.${why}`;
    const error = errorInfo("budget_exceeded", message);
    await this.#turns.close(turn, { type: "completion", status: "failed", error });
  }

  /** Suspends, fails or hands off a turn whose native turn ended at a usage limit or a budget. Closes any other turn. */
  async onEnd(turn: OpenTurn, end: CompletionDraft, before: readonly StoredEvent[]): Promise<void> {
    this.#budgetWatch.stop();
    const { pause, cause } = turn;
    if (pause?.reason === "budget" && !cause && end.status !== "completed")
      return this.#suspendForBudget(turn, pause.exceeded, end, before);
    const { clock, wakeSlots: slots, log } = this.#parts;
    const next = atLimit(turn, end, { onLimit: log.info.onLimit ?? "fail", clock, slots });
    if (next === undefined) return this.#turns.close(turn, end, before);
    const events = [...before, this.#parts.redactor.redact(next.event)];
    switch (next.action) {
      case "fail":
        return this.#turns.close(turn, next.end, events);
      case "wait":
        return this.#suspend(turn, next, end, events);
      case "handoff":
        return this.#handOff(turn, next.to, next.end, events);
    }
  }

  /** Resumes the wait of a turn that an earlier process suspended until a time. Has no effect if it waits for an answer. */
  restore(turn: OpenTurn): void {
    const { waiting } = turn;
    if (waiting?.until === undefined) return;
    // Several sessions may have missed their times while no process ran, so the slot is assigned again.
    const slotMs = this.#parts.wakeSlots.take(Date.parse(waiting.until));
    turn.waiting = { ...waiting, until: new Date(slotMs).toISOString() };
    this.#wakeLater(turn);
  }

  /**
   * Starts the target session of a handoff that an earlier process recorded but may not have started. Has no effect
   * unless this process attached to the runtime.
   */
  restoreHandoff(): void {
    const { opened, log } = this.#parts;
    const { pendingHandoff } = log.info;
    if (pendingHandoff && opened === "attached") this.#startNextSession(pendingHandoff);
  }

  /** Stops the wake timer and the budget checks. */
  stop(): void {
    this.#timer.stop();
    this.#budgetWatch.stop();
  }

  #checkBudget(turn: OpenTurn, otherwise = () => {}): void {
    const check = async () => {
      const exceeded = await this.#budgetWatch.check(turn);
      const isOpen = turn.stage === "sending" || turn.stage === "running";
      if (!isOpen || turn.cause || turn.pause) return;
      if (exceeded) await this.#pause(turn, { reason: "budget", exceeded });
      else otherwise();
    };
    void check().catch(this.#fail);
  }

  /** Suspends a turn until a user answers the budget request. */
  async #suspendForBudget(
    turn: OpenTurn,
    exceeded: ExceededBudget,
    end: CompletionDraft,
    before: readonly StoredEvent[],
  ): Promise<void> {
    const { requests, watch } = this.#turns;
    watch.stop();
    this.#exceeded = describeExceeded(exceeded);
    const waiting: Waiting = { reason: "budget", resend: !turn.ledger.hasWorked };
    const denied = requests.close();
    const owed = this.#parts.redactor.redact(turn.suspend(waiting, this.#exceeded, end));
    const text = `${this.#exceeded} Extend it?`;
    const request = requests.openBudget(exceeded, text, budgetOptions(exceeded));
    await this.#turns.append([...before, ...denied, ...owed, request], turn);
    requests.decide(request);
  }

  async #pause(turn: OpenTurn, pause: Pause): Promise<void> {
    turn.pause = pause;
    if (turn.stage === "running") await this.#turns.interrupt(turn);
  }

  async #suspend(
    turn: OpenTurn,
    { waiting, text }: { readonly waiting: Waiting; readonly text: string },
    end: CompletionDraft,
    before: readonly StoredEvent[],
  ): Promise<void> {
    const { requests, watch } = this.#turns;
    watch.stop();
    const owed = this.#parts.redactor.redact(turn.suspend(waiting, text, end));
    this.#wakeLater(turn);
    await this.#turns.append([...before, ...requests.close(), ...owed], turn);
  }

  #wakeLater(turn: OpenTurn): void {
    const { until } = turn.waiting ?? {};
    if (until === undefined) return;
    this.#timer.start(until, () => void this.#continue(turn).catch(this.#fail));
  }

  /** Continues a suspended turn with another native turn. */
  async #continue(turn: OpenTurn): Promise<void> {
    if (turn.stage !== "suspended") return;
    const text = continuationOf(turn);
    turn.markSuspended(false);
    turn.waiting = undefined;
    await this.#turns.proceed(turn, text);
  }

  /** Ends the turn and starts a session that continues the work. Queued messages are not sent. */
  async #handOff(
    turn: OpenTurn,
    runtime: RuntimeName,
    end: CompletionDraft,
    before: readonly StoredEvent[],
  ): Promise<void> {
    const sessionId = newSessionId();
    const unsent = `The message was not sent: a usage limit is reached, and ${sessionId} continues the work on ${runtime}. Send the message to ${sessionId}.`;
    const error = errorInfo("rate_limited", unsent);
    for (const queued of this.#turns.open.filter((one) => one !== turn))
      await this.#turns.end(queued, { status: "failed", error });
    const handoff = { runtime, sessionId };
    await this.#turns.close(turn, { ...end, handoff }, before);
    this.#startNextSession(handoff);
  }

  /** Starts the session that continues the work of a turn, and records the result. */
  #startNextSession(handoff: HandoffTarget): void {
    const { runtime, sessionId } = handoff;
    const { log, redactor, handOff } = this.#parts;
    const started = (): SystemEvent => {
      const text = `${sessionId} continues the work on ${runtime}.`;
      return { type: "system", subtype: "status", text, data: { handoff } };
    };
    const failed = (error: unknown): SystemEvent => {
      const why = sentence(reasonOf(error));
      const problem = `The work could not be handed over to ${runtime}: ${why} Run "halyard handoff ${log.info.id} --to RUNTIME".`;
      return { ...redactor.redact(warning(problem)), data: { handoff } };
    };
    void handOff(runtime, sessionId)
      .then(started, failed)
      .then((event) => log.append([event], { waits: true }))
      .catch(() => {}); // the append fails if the session has ended, or if its log has failed, which ends the session
  }
}
