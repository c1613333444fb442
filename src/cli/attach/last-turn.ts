import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { StreamEvent, ToolCallEvent } from "../../schema/event.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Changes } from "../../schema/workspace/checkpoint.ts";
import { findLastEvent } from "../wait/last-outcome.ts";

/**
 * Returns the `seq` before the running turn, or before the last turn if no turn is running. Returns the last `seq` if
 * there was no turn.
 */
export async function beforeLastTurn(halyard: Halyard, info: SessionInfo): Promise<number> {
  const running = openTurnOf(info);
  if (running) return running.seq - 1;
  const start = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isStart);
  return start ? start.seq - 1 : info.lastSeq;
}

/**
 * Returns the file changes of the running turn, or of the last turn if none is running. Returns undefined if
 * there was no turn, or if no checkpoint recorded the files of the turn.
 */
export async function lastChanges(
  halyard: Halyard,
  info: SessionInfo,
): Promise<Changes | undefined> {
  const start = info.turn?.id ?? (await findLastEvent(halyard, info, isStart))?.turnId;
  if (start === undefined) return undefined;
  try {
    return await halyard.changes(info.id, { turnId: start });
  } catch (error) {
    if (error instanceof HalyardError && unrecorded.has(error.code)) return undefined;
    throw error;
  }
}

const unrecorded: ReadonlySet<string> = new Set(["checkpoint_not_found", "workspace_failed"]);

const isStart = (event: StreamEvent): boolean =>
  event.type === "system" && event.subtype === "turn_started";

/** The diff of an edit, and the tool call that made it, if the log contains the call. */
export interface Edit {
  readonly call: ToolCallEvent | undefined;
  readonly diff: string;
}

/** Yields the edits of the running turn, or of the last turn if none is running. */
export async function* lastEdits(halyard: Halyard, info: SessionInfo): AsyncGenerator<Edit> {
  const after = await beforeLastTurn(halyard, info);
  const calls = new Map<string, ToolCallEvent>();
  for await (const event of halyard.events(info.id, { after, follow: false })) {
    if (event.type === "tool_call") calls.set(event.callId, event);
    if (event.type === "tool_result" && event.diff)
      yield { call: calls.get(event.callId), diff: event.diff };
  }
}
