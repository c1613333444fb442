import type { RequestEvent, StreamEvent } from "../schema/event.ts";
import { type RequestId, TurnId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { Milliseconds } from "../schema/start-request.ts";
import { follow } from "./follow.ts";
import { OpenTurn, type OpenTurnOptions } from "./open-turn.ts";
import type { Store } from "./store.ts";
import { storeSource } from "./store-source.ts";

/** The turns a session had open when whoever ran it went away. */
export interface RestoredTurns {
  readonly current: OpenTurn | undefined;
  readonly queue: readonly OpenTurn[];
  /** What the runtime waits to have answered. */
  readonly requests: readonly RequestEvent[];
  readonly steered: readonly RestoredWords[];
}

/** Words for a turn under way. */
export interface SteeredWords {
  /** From whoever may send them again. */
  readonly id: TurnId;
  readonly text: string;
}

export interface RestoredWords extends SteeredWords {
  readonly turn: OpenTurn;
}

export type RestoreOptions = Pick<OpenTurnOptions, "clock" | "redactor" | "timeoutMs">;

/** Reads the open turns back from the log, as far as they had come. */
export async function restoreTurns(
  store: Store,
  info: SessionInfo,
  options: RestoreOptions,
): Promise<RestoredTurns> {
  const refs = info.turn ? [info.turn, ...info.queue] : info.queue;
  const turns = new Map<string, OpenTurn>();
  const requests = new Map<RequestId, RequestEvent>();
  const steered: RestoredWords[] = [];
  const first = Math.min(...refs.map(({ seq }) => seq));
  const ids = new Set<string>(refs.map(({ id }) => id));
  if (refs.length > 0) {
    const events = follow(storeSource(store, info.id), { after: first - 1, follow: false });
    for await (const event of events) {
      const { turnId } = event;
      if (turnId === undefined || !ids.has(turnId)) continue;
      const turn = turns.get(turnId);
      if (turn) {
        if (isStart(event)) turn.startedAt = event.at;
        recall(event, turn, requests);
        const words = wordsIn(event);
        if (words) steered.push({ ...words, turn });
      } else {
        const opened = new OpenTurn(turnId, textOf(event), {
          ...options,
          ...ownLimit(event),
          after: event.seq - 1,
          fallback: info.fallback,
          sentAt: event.at,
        });
        opened.isOnRecord = true;
        if (isStart(event)) opened.startedAt = event.at;
        turns.set(turnId, opened);
      }
    }
  }
  const found = refs.flatMap(({ id }) => turns.get(id) ?? []);
  const current = info.turn && turns.get(info.turn.id);
  if (current) {
    current.stage = "running";
    current.accepted.resolve({ status: "submitted" });
  }
  return {
    current,
    queue: found.filter((turn) => turn !== current),
    requests: [...requests.values()],
    steered,
  };
}

function textOf(event: StreamEvent): string {
  return event.type === "system" ? (event.text ?? "") : "";
}

function isStart(event: StreamEvent): boolean {
  return event.type === "system" && event.subtype === "turn_started";
}

/** The limit that a message was sent with. */
function ownLimit(event: StreamEvent): Pick<OpenTurnOptions, "timeoutMs" | "hasOwnLimit"> | object {
  const { data: timeoutMs } = Milliseconds.safeParse(
    event.type === "system" ? event.data?.timeoutMs : undefined,
  );
  return timeoutMs === undefined ? {} : { timeoutMs, hasOwnLimit: true };
}

function wordsIn(event: StreamEvent): SteeredWords | undefined {
  if (event.type !== "system" || event.subtype !== "turn_steered") return undefined;
  const { data: id } = TurnId.safeParse(event.data?.id);
  return id && { id, text: textOf(event) };
}

function recall(event: StreamEvent, turn: OpenTurn, requests: Map<RequestId, RequestEvent>): void {
  switch (event.type) {
    case "request":
      requests.set(event.requestId, event);
      break;
    case "response":
      requests.delete(event.requestId);
      break;
    case "completion":
      break;
    case "message":
      if (event.role === "assistant") turn.ledger.restore(event);
      break;
    default:
      turn.ledger.restore(event);
  }
}
