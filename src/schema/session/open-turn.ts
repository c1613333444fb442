import type { SessionInfo } from "../session.ts";

/**
 * Returns the running turn, or the first turn in the queue. In an idle session, a new message waits in the queue until
 * the files are recorded. Returns undefined if there is neither.
 */
export function openTurnOf({
  turn,
  queue,
}: Pick<SessionInfo, "turn" | "queue">): SessionInfo["turn"] {
  return turn ?? queue[0];
}
