import type { StreamEvent } from "../schema/event.ts";
import type { RequestId, SessionId, TurnId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Clock } from "./clock.ts";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  type SettledDraft,
  setApart,
} from "./draft.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import { OpenTurn } from "./open-turn.ts";
import { createRedactor } from "./redaction.ts";
import type { StoredEvent } from "./store.ts";

const sessionId: SessionId = "ses_0000000000000000";

/**
 * Native messages as the events of a session, with every promise about a turn kept. Turns open implicitly, with the
 * first thing that belongs to one. Ids are counted, so that the same recording always tells the same story.
 */
export async function* replay(
  messages: AsyncIterable<unknown> | Iterable<unknown>,
  mapper: Mapper,
  { runtime, clock }: { runtime: RuntimeName; clock: Clock },
): AsyncGenerator<StreamEvent> {
  const teller = new Teller(runtime, clock);
  for await (const message of messages) yield* teller.tell(mapper.map(message));
  yield* teller.tell(mapper.flush());
  yield* teller.end();
}

class Teller {
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

  async *tell(drafts: readonly EventDraft[]): AsyncGenerator<StreamEvent> {
    for (const draft of drafts) {
      if (draft.type === "settled") continue; // by whom, a recording does not say
      if (this.#turn === undefined && opensTurn(draft)) yield* this.#open();
      if (draft.type === "completion") yield* this.#close(draft);
      else if (draft.type === "request") yield* this.#stamp([this.#request(draft)]);
      else if (this.#turn) yield* this.#stamp(this.#turn.ledger.admit(draft));
      else if (draft.type === "system" || draft.type === "error") yield* this.#stamp([draft]);
      else yield* this.#stamp([setApart(draft, "outside a turn")]);
    }
  }

  async *end(): AsyncGenerator<StreamEvent> {
    const cut = new HalyardError("agent_exited", "the recording ends before the turn does");
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

/** A session's own affairs open no turn, nor does what comes late from one that has ended. */
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
