import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { SessionRecord, Writer } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import { whyNotResumable } from "../../halyard/resume-request.ts";
import { EventLog } from "../../log/event-log.ts";
import { hasEnded } from "../../log/projection.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Opening } from "../open-session.ts";
import { declareLost, endSuspended, isRunning, isSuspended } from "./recovery.ts";

/** How to reopen a recorded session, and its state at that time. */
export interface Reopening {
  readonly info: SessionInfo;
  readonly opening: Opening;
}

/**
 * Returns how to reopen a session: attach if its runtime is still running, otherwise resume. Before a resume, records that
 * the runtime exited. Rejects with `not_resumable` if the runtime cannot continue the conversation. Releases the writer
 * if it rejects.
 */
export async function findReopening(
  parts: HalyardParts,
  record: SessionRecord,
  writer: Writer,
): Promise<Reopening> {
  try {
    if (await isRunning(parts, record)) return { info: record.info, opening: attached(record) };
    const info = await settle(parts, record, writer);
    if (info.resumable && info.runtimeSessionId !== undefined)
      return { info, opening: { opened: "resumed", resume: info.runtimeSessionId } };
    const why = whyNotResumable(record.info);
    const message = `Session ${info.id} cannot be continued: ${why}. Start a new session.`;
    throw new HalyardError("not_resumable", message);
  } catch (error) {
    await writer.release();
    throw error;
  }
}

function attached({ info, cursor, turnCursor }: SessionRecord): Opening {
  const { runtimeSessionId, turn } = info;
  const known = runtimeSessionId !== undefined && { runtimeSessionId };
  const running = turn && { turnId: turn.id };
  return { opened: "attached", attach: { cursor, turnCursor, ...known, ...running } };
}

/**
 * Records that the runtime of a session exited while no process owned the session. The session becomes `lost`, unless
 * its turn is suspended. Has no effect if the session has ended.
 */
async function settle(
  parts: HalyardParts,
  record: SessionRecord,
  writer: Writer,
): Promise<SessionInfo> {
  if (hasEnded(record.info)) return record.info;
  const log = new EventLog(parts, writer, record.info);
  if (isSuspended(record.info)) await endSuspended(parts, log);
  else await declareLost(parts, log);
  return log.info;
}
