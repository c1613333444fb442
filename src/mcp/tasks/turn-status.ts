import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";
import type { SessionId, TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** The state of one turn: running, waiting for answers, or ended. */
export type TurnStatus = {
  readonly info: SessionInfo;
  /** Undefined before the first turn. */
  readonly turnId: TurnId | undefined;
} & (
  | { readonly status: "working" }
  | { readonly status: "input_required"; readonly requests: readonly RequestEvent[] }
  | { readonly status: Outcome["status"]; readonly outcome: Outcome }
);

/**
 * Reads the state of a turn from the session and its log. Defaults to the last turn. If the session has had no turn,
 * the status is `working`. Rejects if the session or the turn does not exist.
 */
export async function turnStatus(
  halyard: Halyard,
  id: SessionId,
  turnId?: TurnId,
): Promise<TurnStatus> {
  const info = await halyard.find(id);
  if (!info)
    throw new HalyardError(
      "session_not_found",
      `Session ${id} not found. Call session_list to list sessions.`,
    );
  const { turn, queue, openRequests } = info;
  const open =
    turnId === undefined ? openTurnOf(info) : [turn, ...queue].find((one) => one?.id === turnId);
  if (open) {
    const at = { info, turnId: open.id };
    return open === turn && openRequests.length > 0
      ? { ...at, status: "input_required", requests: openRequests }
      : { ...at, status: "working" };
  }
  const end = await findEnd(halyard, id, turnId);
  if (end) return { info, turnId: end.turnId, status: end.outcome.status, outcome: end.outcome };
  if (turnId === undefined) return { info, turnId, status: "working" };
  throw new HalyardError(
    "not_found",
    `Session ${id} has no turn ${turnId}. Omit turn_id to get the last turn.`,
  );
}

/** Finds the end of a turn, or the last end if `turnId` is undefined. Searches backward from the end of the log. */
async function findEnd(
  halyard: Halyard,
  id: SessionId,
  turnId: TurnId | undefined,
): Promise<Completion | undefined> {
  for (let before: number | undefined; ; ) {
    const { events, first } = await halyard.window(id, { before, limit: WINDOW });
    const end = events.findLast(
      (event): event is Completion =>
        event.type === "completion" && (turnId === undefined || event.turnId === turnId),
    );
    if (end) return end;
    if (first <= 1) return undefined;
    before = first;
  }
}

type Completion = Extract<StreamEvent, { type: "completion" }>;

const WINDOW = 1000;
