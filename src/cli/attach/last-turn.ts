import type { Halyard } from "../../contracts/halyard.ts";
import type { StreamEvent, ToolCallEvent } from "../../schema/event.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { findLastEvent } from "../wait/last-outcome.ts";

/** Returns the `seq` before the running turn, or before the last turn if none runs. */
export async function beforeLastTurn(halyard: Halyard, info: SessionInfo): Promise<number> {
  const running = info.turn ?? info.queue[0];
  if (running) return running.seq - 1;
  const isStart = (event: StreamEvent) =>
    event.type === "system" && event.subtype === "turn_started";
  const start = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isStart);
  return start ? start.seq - 1 : info.lastSeq;
}

/** A tool call that edited a file, and its diff. */
export interface Edit {
  readonly call: ToolCallEvent | undefined;
  readonly diff: string;
}

/** Yields the edits of the running turn, or of the last one. */
export async function* lastEdits(halyard: Halyard, info: SessionInfo): AsyncGenerator<Edit> {
  const after = await beforeLastTurn(halyard, info);
  const calls = new Map<string, ToolCallEvent>();
  for await (const event of halyard.events(info.id, { after, follow: false })) {
    if (event.type === "tool_call") calls.set(event.callId, event);
    if (event.type === "tool_result" && event.diff)
      yield { call: calls.get(event.callId), diff: event.diff };
  }
}
