import type { Clock } from "../contracts/clock.ts";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  type SettledDraft,
  setApart,
} from "../contracts/event-draft.ts";
import type { StoredEvent } from "../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { RequestId, SessionId, TurnId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { OpenTurn } from "./turns/open-turn.ts";

const sessionId: SessionId = "ses_0000000000000000";

/**
 * Maps native messages to session events, with the same guarantees as in a live session. A turn starts implicitly with
 * the first draft that belongs to a turn. Ids are sequential numbers, so that the same native log always yields the
 * same events.
 */
export async function* replay(
  messages: AsyncIterable<unknown> | Iterable<unknown>,
  mapper: Mapper,
  { runtime, clock }: { runtime: RuntimeName; clock: Clock },
): AsyncGenerator<StreamEvent> {
  const session = new ReplayedSession(runtime, clock);
  for await (const message of messages) yield* session.add(mapper.map(message));
  yield* session.add(mapper.flush());
  yield* session.end();
}

class ReplayedSession {
  readonly #runtime: RuntimeName;
  readonly #clock: Clock;
  readonly #redactor = createRedactor([]);
  #seq = 0;
  #turns = 0;
  #requests = 0;
  #turn: OpenTurn | undefined;

  constructor(runtime: RuntimeName, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  async *add(drafts: readonly EventDraft[]): AsyncGenerator<StreamEvent> {
    for (const draft of drafts) {
      if (draft.type === "settled") continue; // a native log does not contain answers, so there is no request to settle
      if (this.#turn === undefined && opensTurn(draft)) yield* this.#open();
      if (draft.type === "completion") yield* this.#close(draft);
      else if (draft.type === "request") yield* this.#stamp([this.#request(draft)]);
      else if (this.#turn) yield* this.#stamp(this.#turn.ledger.admit(draft));
      else if (draft.type === "system" || draft.type === "error") yield* this.#stamp([draft]);
      else yield* this.#stamp([setApart(draft, "outside a turn")]);
    }
  }

  async *end(): AsyncGenerator<StreamEvent> {
    const cut = new HalyardError(
      "agent_exited",
      "The native log ends before the end of the turn. Record a log that contains the whole turn.",
    );
    yield* this.#close({ type: "completion", status: "failed", error: toErrorInfo(cut) });
  }

  *#open(): Generator<StreamEvent> {
    const id: TurnId = `trn_${counted(++this.#turns)}`;
    const options = { clock: this.#clock, redactor: this.#redactor, timeoutMs: 0, after: 0 };
    this.#turn = new OpenTurn(id, "", options);
    yield* this.#stamp([{ type: "system", subtype: "turn_started" }]);
  }

  async *#close(end: CompletionDraft): AsyncGenerator<StreamEvent> {
    const last: StoredEvent[] = [];
    await this.#turn?.close(end, [], async (events) => {
      last.push(...events);
    });
    yield* this.#stamp(last);
    this.#turn = undefined;
  }

  #request(draft: Extract<EventDraft, { type: "request" }>): StoredEvent {
    const requestId: RequestId = `req_${counted(++this.#requests)}`;
    return { ...draft, requestId, verdict: "ask" };
  }

  *#stamp(events: readonly StoredEvent[]): Generator<StreamEvent> {
    const at = this.#clock.now().toISOString();
    const turnId = this.#turn && { turnId: this.#turn.id };
    for (const event of events) {
      yield { seq: ++this.#seq, at, sessionId, ...turnId, runtime: this.#runtime, ...event };
    }
  }
}

/** True if a draft starts a turn. False for events of the session, and for late results of a turn that has ended. */
function opensTurn(draft: Exclude<EventDraft, SettledDraft>): boolean {
  switch (draft.type) {
    case "system":
      return draft.subtype === "retry";
    case "tool_result":
      return false;
    case "completion":
    case "delta":
    case "message":
    case "tool_call":
    case "request":
    case "error":
      return true;
  }
}

function counted(count: number): string {
  return String(count).padStart(16, "0");
}
