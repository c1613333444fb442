import type { RequestEvent, StreamEvent } from "../schema/event.ts";
import type { RequestId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
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
}

/** Reads the open turns back from the log, as far as they had come. */
export async function restoreTurns(
  store: Store,
  info: SessionInfo,
  options: Pick<OpenTurnOptions, "clock" | "redactor" | "timeoutMs">,
): Promise<RestoredTurns> {
  const refs = info.turn ? [info.turn, ...info.queue] : info.queue;
  const turns = new Map<string, OpenTurn>();
  const requests = new Map<RequestId, RequestEvent>();
  const first = Math.min(...refs.map(({ seq }) => seq));
  const ids = new Set<string>(refs.map(({ id }) => id));
  if (refs.length > 0) {
    const events = follow(storeSource(store, info.id), { after: first - 1, follow: false });
    for await (const event of events) {
      const { turnId } = event;
      if (turnId === undefined || !ids.has(turnId)) continue;
      const turn = turns.get(turnId);
      if (turn) recall(event, turn, requests);
      else
        turns.set(
          turnId,
          new OpenTurn(turnId, textOf(event), {
            ...options,
            after: event.seq - 1,
            fallback: info.fallback,
          }),
        );
    }
  }
  const found = refs.flatMap(({ id }) => turns.get(id) ?? []);
  const current = info.turn && found[0];
  const queue = current ? found.slice(1) : found;
  if (current) {
    current.stage = "running";
    current.accepted.resolve({ status: "submitted" });
  }
  return { current, queue, requests: [...requests.values()] };
}

function textOf(event: StreamEvent): string {
  return event.type === "system" ? (event.text ?? "") : "";
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
    default:
      turn.ledger.admit(event);
  }
}
