import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError } from "../errors/error.ts";
import { follow } from "../log/follow.ts";
import { storeSource } from "../log/store-source.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { OpenTurn } from "./turns/open-turn.ts";

/**
 * Waits for the completion of a turn that continues in another process, and resolves the turn's outcome with it. The
 * outcome fails with `session_stopped` if the log cannot be read, or if the log ends before the turn does, for example
 * because the session was removed.
 */
export async function finishElsewhere(
  parts: HalyardParts,
  info: SessionInfo,
  turn: OpenTurn,
): Promise<void> {
  turn.sent.resolve();
  const failed = (message: string, cause?: unknown) =>
    turn.settle(new HalyardError("session_stopped", message, { cause }));
  try {
    for await (const event of follow(storeSource(parts.store, info.id), { after: turn.after })) {
      if (event.type !== "completion" || event.turnId !== turn.id) continue;
      turn.outcome.resolve(event.outcome);
      return;
    }
    failed(
      `Session ${info.id} was detached, and its log ended before the turn did. Run "halyard sessions" to check whether the session was removed.`,
    );
  } catch (cause) {
    failed(
      `Session ${info.id} was detached. The turn continues. Run "halyard events ${info.id} --follow" to see its end.`,
      cause,
    );
  }
}
