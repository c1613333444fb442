import type { Output } from "../../contracts/adapter.ts";
import type { Clock } from "../../contracts/clock.ts";
import { type CompletionDraft, type EventDraft, setApart } from "../../contracts/event-draft.ts";
import type { StoredEvent } from "../../contracts/store.ts";
import { explainFailure, type Remedies } from "../../errors/model-failure.ts";
import type { Redactor } from "../../log/redaction/redaction.ts";
import type { Requests } from "../../permissions/requests.ts";
import type { RequestEvent } from "../../schema/event.ts";
import { Usage } from "../../schema/outcome.ts";
import { limitEvent } from "../pauses/reported-limit.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The result of reading a batch up to its end or the end of a turn. */
interface Reading {
  readonly events: StoredEvent[];
  readonly asked: RequestEvent[];
  readonly end?: CompletionDraft;
  readonly rest: readonly Output[];
}

/** Converts the output of a runtime to log events. */
export class OutputReader {
  readonly #requests: Requests;
  readonly #redactor: Redactor;
  readonly #keepsRaw: boolean;
  readonly #remedies: Remedies;
  readonly #clock: Clock;
  /** The byte offset up to which the output has been read. */
  cursor: number;

  constructor(
    requests: Requests,
    options: {
      redactor: Redactor;
      raw: boolean;
      cursor: number;
      clock: Clock;
      remedies?: Remedies;
    },
  ) {
    this.#requests = requests;
    this.#redactor = options.redactor;
    this.#keepsRaw = options.raw;
    this.#remedies = options.remedies ?? {};
    this.#clock = options.clock;
    this.cursor = options.cursor;
  }

  read(batch: readonly Output[], turn: OpenTurn | undefined): Reading {
    const events: StoredEvent[] = [];
    const asked: RequestEvent[] = [];
    for (const [index, output] of batch.entries()) {
      const before = events.length;
      const { drafts, replayed } = output;
      if (replayed && replayed.turnId === turn?.id)
        for (const delta of replayed.deltas) turn.ledger.replay(delta);
      for (let at = 0; at < drafts.length; at++) {
        const given = drafts[at];
        if (given === undefined) continue;
        const draft = this.#measured(explainFailure(given, this.#remedies), turn);
        if (draft.type === "completion") {
          if (turn === undefined) continue;
          this.#markRaw(events, before, output);
          const left = drafts.slice(at + 1);
          const rest = batch.slice(index + 1);
          if (left.length > 0)
            return { events, asked, end: draft, rest: [{ ...output, drafts: left }, ...rest] };
          // Record the cursor together with the completion, so that another process does not read the completion again
          // as the end of the next turn.
          this.cursor = output.cursor ?? this.cursor;
          return { events, asked, end: draft, rest };
        }
        if (draft.type === "request") {
          const request = this.#redactor.redact(this.#requests.open(draft));
          asked.push(request);
          events.push(request);
        } else if (draft.type === "settled") {
          const response = this.#requests.settledBy(draft);
          if (response) events.push(response);
        } else if (turn) {
          for (const event of turn.ledger.admit(draft)) events.push(event);
        } else {
          events.push(this.#redactor.redact(outsideTurn(draft)));
        }
      }
      this.#markRaw(events, before, output);
      if (output.cursor !== undefined) this.cursor = output.cursor;
    }
    return { events, asked, rest: [] };
  }

  /** Adds times and totals to reports of limits and usage, because a mapper has no clock and no earlier reports. */
  #measured(draft: EventDraft, turn: OpenTurn | undefined): EventDraft {
    if (draft.type !== "system") return draft;
    if (draft.subtype === "limit") {
      const event = limitEvent(draft, this.#clock.now());
      if (turn && event.data?.status === "reached") turn.limit = event.data;
      return event;
    }
    if (draft.subtype !== "usage" || draft.data?.usage === undefined) return draft;
    const { usage: given, ...data } = draft.data;
    const { data: usage } = Usage.safeParse(given);
    return {
      ...draft,
      data:
        usage && turn ? { ...data, usage: turn.meter.report(turn.usageOf(usage) ?? usage) } : data,
    };
  }

  #markRaw(events: StoredEvent[], from: number, { raw }: Output): void {
    const first = events[from];
    if (!this.#keepsRaw || first === undefined) return;
    events[from] = { ...first, raw: this.#redactor.redact(raw) };
  }
}

/** Returns the event for a draft that arrives before the first turn or between turns. */
function outsideTurn(
  draft: Exclude<EventDraft, { type: "completion" | "request" | "settled" }>,
): StoredEvent {
  if (draft.type === "system" || draft.type === "error") return draft;
  return setApart(draft, "outside a turn");
}
